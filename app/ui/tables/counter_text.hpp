// The values of counters as people read them.
#pragma once

#include <string>

#include "core/tables/table.hpp"

namespace kino {

/// A counter's value as people read it: with its unit, else digits.
std::string counter_text(double value, Unit unit);

}  // namespace kino
