// Counter values as text.
#pragma once

#include <string>

#include "core/tables/table.hpp"

namespace kino {

/// Formats a counter value with its unit. Without a unit, whole numbers have grouped digits, and others four
/// significant digits.
std::string counter_text(double value, Unit unit);

}  // namespace kino
