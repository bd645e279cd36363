// Statistics of many durations: sums, spread and percentiles.
#pragma once

#include <cstdint>
#include <span>

namespace kino {

/// Statistics of a list of durations, in ns. All members are 0 if there are no durations.
struct DurationStats {
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  std::int64_t median_ns = 0;  ///< the middle duration, or the mean of the middle two, rounded down
  std::int64_t p90_ns = 0;     ///< nearest rank: smallest duration that at least 90 % do not exceed
  std::int64_t p99_ns = 0;
  double deviation_ns = 0;  ///< standard deviation of a sample (n - 1); 0 for one duration

  double mean_ns() const {
    return count == 0 ? 0 : static_cast<double>(total_ns) / static_cast<double>(count);
  }
};

/// Returns the statistics of `durations` and reorders them. O(n) on average.
DurationStats duration_stats(std::span<std::int64_t> durations);

}  // namespace kino
