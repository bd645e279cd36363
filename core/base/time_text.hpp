// Converts decimal text to ns without floating point, and times, counts and shares to text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kino {

/// Converts decimal microseconds ("1712195495519761.132", "5", "-0.5", "1.2e3", Kineto's "-1.-500") to ns.
/// Further digits round half away from zero. nullopt if malformed, beyond 64 bits, or if the exponent is
/// beyond 60. O(length).
std::optional<std::int64_t> ns_from_decimal_us(std::string_view text);

/// Converts a duration in decimal microseconds to ns. If both the duration and the start have digits beyond
/// ns, the duration is chosen so that the end is rounded once; consecutive slices of the file then do not
/// overlap. nullopt as for ns_from_decimal_us(). O(length).
std::optional<std::int64_t> duration_ns_from_decimal_us(std::string_view duration, std::string_view start);

/// Returns a readable duration. Below a minute, it has at most four significant digits ("12.34 ms",
/// "850 ns"). Longer durations have whole seconds ("2 min 3 s"), or whole minutes from an hour on
/// ("1 h 5 min").
std::string text_from_duration(std::int64_t ns);

/// Returns all digits of a time in us, grouped by plain spaces, which survive copying better than narrow
/// spaces: "1 712 195 495 519.761 us".
std::string exact_text_from_ns(std::int64_t ns);

/// "12 345 678".
std::string grouped(std::uint64_t number);

/// Formats one number with a printf format such as "%.3g ms".
std::string formatted(const char* format, double number);

/// "12.3 %" for a share from 0 to 1. "100 %" is exactly all, "0.0 %" exactly nothing, and "< 0.1 %" a share
/// that would be rounded to 0.
std::string text_from_share(double share);

/// Returns a count with its noun: "1 step", "12 345 steps".
inline std::string counted_noun(std::uint64_t count, std::string_view one, std::string_view several) {
  return grouped(count) + " " + std::string(count == 1 ? one : several);
}
/// The plural of `noun` adds "s".
inline std::string counted_noun(std::uint64_t count, std::string_view noun) {
  return counted_noun(count, noun, std::string(noun) + "s");
}

}  // namespace kino
