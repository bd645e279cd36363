// Histogram of durations: counts in buckets of equal width on a logarithmic scale, with the median.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kino {

/// Bucket edges are fixed, kPerDecade per power of ten, so that two histograms can be compared. The first and
/// last bucket are not empty. Durations of 0 count as 1 ns. There are no buckets if there are no durations.
struct DurationHistogram {
  static constexpr int kPerDecade = 8;

  int first = 0;                      ///< first bucket; its left edge is 10^(first / kPerDecade) ns
  std::vector<std::uint64_t> counts;  ///< number of durations per bucket, from bucket `first` on
  std::int64_t median_ns = 0;         ///< as DurationStats::median_ns

  /// Returns the left edge of bucket first + i.
  double edge_ns(std::size_t i) const;
  /// Returns the index into `counts` of the bucket that contains a duration of this histogram.
  std::size_t bucket_of(std::int64_t duration_ns) const;
  /// Returns the position of a duration on the axis, in buckets from the left edge of the first bucket.
  double place_of(double duration_ns) const;
};

/// Returns the histogram of `durations` and reorders them. O(n) on average.
DurationHistogram duration_histogram(std::span<std::int64_t> durations);

}  // namespace kino
