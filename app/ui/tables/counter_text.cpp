#include "app/ui/tables/counter_text.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "app/ui/text/table_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {

std::string counter_text(double value, Unit unit) {
  if (unit != Unit::number) return number_text(unit, value);
  constexpr double kExact = 9.0e15;
  if (std::floor(value) == value && std::abs(value) < kExact) {
    std::string text = value < 0 ? "-" : "";
    text += grouped(static_cast<std::uint64_t>(std::abs(value)));
    return text;
  }
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

}  // namespace kino
