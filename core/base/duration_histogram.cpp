#include "core/base/duration_histogram.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/duration_list.hpp"

namespace kino {
namespace {

double buckets_below(double duration_ns) {
  return DurationHistogram::kPerDecade * std::log10(std::max(1.0, duration_ns));
}

int bucket_number(std::int64_t duration_ns) {
  return static_cast<int>(std::floor(buckets_below(static_cast<double>(duration_ns))));
}

}  // namespace

double DurationHistogram::edge_ns(std::size_t i) const {
  return std::pow(10.0, (first + static_cast<double>(i)) / kPerDecade);
}

std::size_t DurationHistogram::bucket_of(std::int64_t duration_ns) const {
  return static_cast<std::size_t>(std::max(0, bucket_number(duration_ns) - first));
}

double DurationHistogram::place_of(double duration_ns) const { return buckets_below(duration_ns) - first; }

DurationHistogram duration_histogram(std::span<std::int64_t> durations) {
  DurationHistogram histogram;
  if (durations.empty()) return histogram;
  const DurationStats spread = duration_stats(durations);
  histogram.median_ns = spread.median_ns;
  histogram.first = bucket_number(spread.min_ns);
  histogram.counts.resize(histogram.bucket_of(spread.max_ns) + 1);
  for (const std::int64_t duration : durations) ++histogram.counts[histogram.bucket_of(duration)];
  return histogram;
}

}  // namespace kino
