// Conversion between the clocks of two recordings.
#pragma once

#include <cstdint>

namespace kino {

/// Source of a fit.
enum class ClockEvidence : std::uint8_t {
  unix_time,  ///< both recordings have Unix times, and their ranges overlap
  by_hand,    ///< the user aligned a time of one recording with a time of the other
};

/// second = first + offset_ns + (first - around_ns) * drift_ppb / 10^9, in integers: a double would lose ns
/// beyond 104 days. Recordings of a few seconds on one machine showed no drift. Quartz clocks of two machines
/// can be tens of ppm apart, so the offset holds at one time only.
struct ClockFit {
  /// Largest drift of a fit. A larger drift means a broken clock.
  static constexpr std::int64_t kMostDriftPpb = 1'000'000;

  std::int64_t offset_ns = 0;       ///< time of the second clock minus that of the first, at `around_ns`
  std::int64_t drift_ppb = 0;       ///< ns that the second clock gains per second of the first
  std::int64_t around_ns = 0;       ///< a time of the first clock
  std::int64_t uncertainty_ns = 0;  ///< largest error of a converted time in either direction
  ClockEvidence evidence = ClockEvidence::unix_time;

  bool operator==(const ClockFit&) const = default;

  /// Converts exactly, rounded to the nearest ns (halves up) and saturated to int64. A round trip from first
  /// to second and back is exact if the second clock is not slower; otherwise, it is off by at most 1 ns. The
  /// other round trip is exact if the second clock is not faster. Both functions are monotonic.
  std::int64_t second_from_first(std::int64_t first_ns) const;
  std::int64_t first_from_second(std::int64_t second_ns) const;

  /// Returns this fit for recordings whose origins are moved later by `first_ns` and `second_ns`.
  ClockFit with_later_origins(std::int64_t first_ns, std::int64_t second_ns) const;
};

}  // namespace kino
