// Decimal time text to ns and back, exact to the last digit and never through floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kino {

/// Decimal microseconds ("1712195495519761.132", "5", "-0.5", "1.2e3", Kineto's "-1.-500") as ns. Further
/// digits round half away from zero. nullopt when it is no number or does not fit 64 bits. O(length).
std::optional<std::int64_t> ns_from_decimal_us(std::string_view text);

/// A duration in decimal microseconds as ns. If it and its start have digits beyond the nanosecond, the sum
/// of their ns is the end, rounded once: slices that follow each other in the file then do not overlap.
/// nullopt as for ns_from_decimal_us(). O(length).
std::optional<std::int64_t> duration_ns_from_decimal_us(std::string_view duration, std::string_view start);

/// A duration for people, at most four significant digits with a unit that fits: "12.34 ms", "850 ns", "2 min
/// 3 s".
std::string text_from_duration(std::int64_t ns);

/// All digits, grouped: "1 712 195 495 519.761 us" with thin grouping by a narrow space is hard to copy, so
/// plain spaces are used.
std::string exact_text_from_ns(std::int64_t ns);

/// "12 345 678".
std::string grouped(std::uint64_t number);

/// One number in a format of printf, such as "%.3g ms".
std::string formatted(const char* format, double number);

/// "12.3 %" of a share from 0 to 1; never "100 %" of what is not all, and never "0.0 %" of what is not
/// nothing.
std::string text_from_share(double share);

/// A number with its noun: "1 step", "12 345 steps".
inline std::string counted_noun(std::uint64_t count, std::string_view one, std::string_view several) {
  return grouped(count) + " " + std::string(count == 1 ? one : several);
}
/// For nouns whose plural ends in "s".
inline std::string counted_noun(std::uint64_t count, std::string_view noun) {
  return counted_noun(count, noun, std::string(noun) + "s");
}

}  // namespace kino
