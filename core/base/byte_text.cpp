#include "core/base/byte_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>

#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kUnitCount = 7;
struct UnitFamily {
  double factor;
  std::array<const char*, kUnitCount> names;
};
constexpr UnitFamily kDecimal{1000, {"B", "kB", "MB", "GB", "TB", "PB", "EB"}};
constexpr UnitFamily kBinary{1024, {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}};

const UnitFamily& family_of(ByteUnits units) { return units == ByteUnits::binary ? kBinary : kDecimal; }

std::string in_unit(double value, int decimals, const char* unit) {
  std::array<char, 352> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", decimals, value, unit);
  return text.data();
}

}  // namespace

std::string_view name_of(ByteUnits units) { return units == ByteUnits::binary ? "GiB" : "GB"; }

std::optional<ByteUnits> byte_units_named(std::string_view name) {
  for (const ByteUnits units : {ByteUnits::decimal, ByteUnits::binary}) {
    if (name == name_of(units)) return units;
  }
  return std::nullopt;
}

std::string text_from_bytes(double bytes, ByteUnits units) {
  if (!std::isfinite(bytes)) return "? B";
  const UnitFamily& family = family_of(units);
  double value = std::fabs(bytes);
  std::size_t unit = 0;
  // Values from 999.5 on use the next unit (1000 KiB is 0.977 MiB), which keeps three digits.
  while (value >= 999.5 && unit + 1 < kUnitCount) {
    value /= family.factor;
    ++unit;
  }
  const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3;
  return (bytes < 0 ? "-" : "") + in_unit(value, decimals, family.names.at(unit));
}

std::uint64_t decimal_step(double length, double count) {
  const double wanted = std::clamp(length / std::max(1.0, count), 1.0, 1e18);
  const double power = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor >= wanted) return static_cast<std::uint64_t>(power * factor);
  }
  return static_cast<std::uint64_t>(power * 10);
}

std::uint64_t byte_step(double length, double count, ByteUnits units) {
  if (units == ByteUnits::decimal) return decimal_step(length, count);
  const double wanted = std::clamp(length / std::max(1.0, count), 1.0, 1e18);
  return std::bit_ceil(static_cast<std::uint64_t>(std::ceil(wanted)));
}

ByteTicks byte_ticks(double low, double high, double count, ByteUnits units) {
  constexpr std::uint64_t kLargestTick = std::uint64_t{1} << 63;  // adding one more step does not wrap
  ByteTicks ticks{byte_step(high - low, count, units), {}};
  const double first = std::ceil(std::max(0.0, low) / static_cast<double>(ticks.step));
  if (first * static_cast<double>(ticks.step) > static_cast<double>(kLargestTick)) return ticks;
  for (std::uint64_t tick = static_cast<std::uint64_t>(first) * ticks.step;
       static_cast<double>(tick) <= high && tick <= kLargestTick; tick += ticks.step) {
    ticks.at.push_back(tick);
  }
  return ticks;
}

std::string byte_tick_text(std::uint64_t bytes, std::uint64_t step, double highest, ByteUnits units) {
  const UnitFamily& family = family_of(units);
  std::size_t unit = 0;
  double size = 1;
  for (; unit + 1 < kUnitCount && highest >= size * family.factor; ++unit) size *= family.factor;
  // In binary units, each halving of the step below the unit needs one more decimal. Below an eighth of the
  // unit, a smaller unit is shorter.
  constexpr double kMostParts = 8;
  for (; units == ByteUnits::binary && unit > 0 && static_cast<double>(step) * kMostParts < size; --unit) {
    size /= family.factor;
  }
  const double base = units == ByteUnits::binary ? 2 : 10;
  int decimals = 0;
  for (double part = size; part > static_cast<double>(step) * 1.0001 && decimals < 9; part /= base)
    ++decimals;
  const double value = static_cast<double>(bytes) / size;
  if (decimals == 0 && value < 1e18)
    return grouped(static_cast<std::uint64_t>(value)) + " " + family.names.at(unit);
  return in_unit(value, decimals, family.names.at(unit));
}

}  // namespace kino
