// Covers: duration_list
// Sums, percentiles and the median of durations.
#include "core/base/duration_list.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

namespace {

std::int64_t median_ns_of(std::vector<std::int64_t> durations) {
  return kino::duration_stats(durations).median_ns;
}

}  // namespace

TEST_CASE("the median is the middle duration, or the mean of the middle two rounded down") {
  CHECK(median_ns_of({}) == 0);
  CHECK(median_ns_of({7}) == 7);
  CHECK(median_ns_of({40, 10}) == 25);
  CHECK(median_ns_of({30, 10, 20}) == 20);
  CHECK(median_ns_of({9, 1, 4, 3}) == 3);
  CHECK(median_ns_of({5, 5, 1, 100}) == 5);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(median_ns_of({kMost, kMost - 2}) == kMost - 1);
}

TEST_CASE("the other percentiles are durations by nearest rank") {
  std::vector<std::int64_t> durations;
  for (std::int64_t i = 100; i > 0; --i) durations.push_back(10 * i);
  const kino::DurationStats spread = kino::duration_stats(durations);
  CHECK(spread.median_ns == 505);
  CHECK(spread.p90_ns == 900);
  CHECK(spread.p99_ns == 990);
  CHECK(spread.min_ns == 10);
  CHECK(spread.max_ns == 1000);
  CHECK(spread.total_ns == 50'500);
}
