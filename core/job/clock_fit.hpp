// How the clock of one recording runs against that of another: by it a moment of the first is found in the
// second.
#pragma once

#include <cstdint>

namespace kino {

/// What a fit was made by.
enum class ClockEvidence : std::uint8_t {
  unix_time,  ///< both recordings have Unix times, and those overlap
  by_hand,    ///< somebody laid a moment of the one beside a moment of the other
};

/// second = first + offset_ns + (first - around_ns) * drift_ppb / 10^9, in integers: a double would lose ns
/// beyond 104 days. Recordings of seconds on one machine showed no drift; the quartzes of two machines can be
/// tens of ppm apart, and then the offset holds at one moment.
struct ClockFit {
  /// A clock that is further off is broken.
  static constexpr std::int64_t kMostDriftPpb = 1'000'000;

  std::int64_t offset_ns = 0;       ///< to add to a time of the first for the second's, at `around_ns`
  std::int64_t drift_ppb = 0;       ///< ns that the second clock gains in a second of the first
  std::int64_t around_ns = 0;       ///< a time of the first
  std::int64_t uncertainty_ns = 0;  ///< a moment can be so much earlier or later than the fit says
  ClockEvidence evidence = ClockEvidence::unix_time;

  bool operator==(const ClockFit&) const = default;

  /// The exact value, rounded to the nearest ns, halves up; an end of 64 bits where it lies beyond. There and
  /// back is the same ns again where the second clock is not the slower one (back and there: not the faster
  /// one), else at most one beside it. An earlier time never comes out later.
  std::int64_t second_from_first(std::int64_t first_ns) const;
  std::int64_t first_from_second(std::int64_t second_ns) const;

  /// The same fit of recordings whose ns 0 lie later by so much.
  ClockFit with_later_origins(std::int64_t first_ns, std::int64_t second_ns) const;
};

}  // namespace kino
