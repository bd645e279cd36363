// Saturating int64 arithmetic for times: in a hostile file the sum of durations can overflow.
#pragma once

#include <cstdint>
#include <limits>

namespace kino {

/// Returns a + b, or the nearest limit of the range.
inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

/// Returns a - b, or the nearest limit of the range.
inline std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

/// Saturating sum += addend and sum -= subtrahend.
inline void add_saturating(std::int64_t& sum, std::int64_t addend) { sum = saturating_add(sum, addend); }
inline void subtract_saturating(std::int64_t& sum, std::int64_t subtrahend) {
  sum = saturating_subtract(sum, subtrahend);
}

}  // namespace kino
