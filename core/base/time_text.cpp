#include "core/base/time_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace kino {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMinute = 60 * kSecond;
constexpr std::uint64_t kHour = 60 * kMinute;

std::uint64_t magnitude(std::int64_t ns) {
  return ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
}

/// Returns `value` in units of `unit`, such as "12.34", truncated to `decimals` decimals, without trailing
/// zeros.
std::string decimal_text(std::uint64_t value, std::uint64_t unit, int decimals) {
  std::uint64_t step = unit;
  for (int i = 0; i < decimals; ++i) step /= 10;
  const std::uint64_t steps = value / step;
  const std::uint64_t steps_per_unit = unit / step;
  std::string text = std::to_string(steps / steps_per_unit);
  if (decimals == 0) return text;
  std::string fraction = std::to_string(steps % steps_per_unit);
  fraction.insert(0, static_cast<std::size_t>(decimals) - fraction.size(), '0');
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  if (fraction.empty()) return text;
  return text + '.' + fraction;
}

/// Returns `value` rounded half up to four significant digits.
std::uint64_t rounded_to_four_digits(std::uint64_t value) {
  std::uint64_t step = 1;
  while (value / step >= 10'000) step *= 10;
  return (value + step / 2) / step * step;
}

}  // namespace

std::string text_from_duration(std::int64_t ns) {
  const std::uint64_t size = magnitude(ns);
  const std::string sign = ns < 0 ? "-" : "";
  if (size >= kHour) {
    const std::uint64_t minutes = size / kMinute + (size % kMinute >= kMinute / 2 ? 1 : 0);
    return sign + std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
  }
  const std::uint64_t value = rounded_to_four_digits(size);
  if (value >= kMinute) {
    const std::uint64_t seconds = size / kSecond + (size % kSecond >= kSecond / 2 ? 1 : 0);
    if (seconds == 3600) return sign + "1 h 0 min";
    return sign + std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
  }
  struct Unit {
    std::uint64_t ns;
    const char* name;
  };
  constexpr std::array kUnits{Unit{kSecond, " s"}, Unit{1'000'000, " ms"}, Unit{1'000, " µs"}};
  for (const Unit& unit : kUnits) {
    if (value < unit.ns) continue;
    const std::uint64_t whole = value / unit.ns;
    const int decimals = whole >= 100 ? 1 : whole >= 10 ? 2 : 3;
    return sign + decimal_text(value, unit.ns, decimals) + unit.name;
  }
  return sign + std::to_string(value) + " ns";
}

std::string exact_text_from_ns(std::int64_t ns) {
  const std::uint64_t size = magnitude(ns);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03u", static_cast<unsigned>(size % 1000));
  std::string text(ns < 0 ? "-" : "");
  text += grouped(size / 1000);
  text += fraction.data();
  return text + " us";
}

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  text.reserve(digits.size() + digits.size() / 3);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ' ';
    text += digits[i];
  }
  return text;
}

std::string formatted(const char* format, double number) {
  std::array<char, 352> text{};  // the largest double has 309 digits before its point
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

std::string text_from_share(double share) {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  return share >= 1 ? formatted("%.0f %%", 100 * share) : formatted("%.1f %%", std::min(100 * share, 99.9));
}

}  // namespace kino
