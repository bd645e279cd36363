// Converts decimal text to ns without floating point, and times, counts and shares to text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kino {

/// Converts decimal microseconds ("1712195495519761.132", "5", "-0.5", "1.2e3", Kineto's "-1.-500") to ns.
/// Further digits round half away from zero. nullopt if malformed or beyond 64 bits. O(length).
std::optional<std::int64_t> ns_from_decimal_us(std::string_view text);

/// Converts a duration in decimal microseconds to ns. If it and its start have digits beyond ns, the duration
/// is chosen so that the end is rounded once; consecutive slices of the file then do not overlap. nullopt as
/// for ns_from_decimal_us(). O(length).
std::optional<std::int64_t> duration_ns_from_decimal_us(std::string_view duration, std::string_view start);

/// Returns a readable duration with at most four significant digits in a fitting unit: "12.34 ms", "850 ns",
/// "2 min 3 s".
std::string text_from_duration(std::int64_t ns);

/// Returns all digits of a time in us, grouped by plain spaces, which survive copying better than narrow
/// ones: "1 712 195 495 519.761 us".
std::string exact_text_from_ns(std::int64_t ns);

/// "12 345 678".
std::string grouped(std::uint64_t number);

/// Formats one number with a printf format such as "%.3g ms".
std::string formatted(const char* format, double number);

/// "12.3 %" for a share from 0 to 1. "100 %" is exactly all, and "0.0 %" exactly nothing.
std::string text_from_share(double share);

/// Returns a count with its noun: "1 step", "12 345 steps".
inline std::string counted_noun(std::uint64_t count, std::string_view one, std::string_view several) {
  return grouped(count) + " " + std::string(count == 1 ? one : several);
}
/// For nouns whose plural ends in "s".
inline std::string counted_noun(std::uint64_t count, std::string_view noun) {
  return counted_noun(count, noun, std::string(noun) + "s");
}

}  // namespace kino
