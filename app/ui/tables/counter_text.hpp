// Counter values as text.
#pragma once

#include <string>

#include "core/tables/table.hpp"

namespace kino {

/// A counter value with its unit. Numbers without a unit have grouped digits if whole, else four significant
/// digits.
std::string counter_text(double value, Unit unit);

}  // namespace kino
