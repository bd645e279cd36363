// Covers: packed_ranges
// Time ranges as a packed list.
#include "core/trace/packed/packed_ranges.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

using kino::PackedRanges;
using kino::TimeRange;

TEST_CASE("ranges are restored exactly, and a packed list can be searched") {
  constexpr std::int64_t kMostNs = std::numeric_limits<std::int64_t>::max();
  std::vector<TimeRange> ranges{{-kMostNs - 1, kMostNs}, {5, 3}, {0, 0}};
  for (std::int64_t i = 0; i < 500; ++i) ranges.push_back({1000 * i, 1000 * i + i % 7});
  const PackedRanges packed(ranges);
  REQUIRE(packed.size() == ranges.size());
  CHECK(packed.sound());
  const std::vector<TimeRange> list = packed.list();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    REQUIRE(packed[i].begin_ns == ranges[i].begin_ns);
    REQUIRE(packed[i].end_ns == ranges[i].end_ns);
    REQUIRE(list[i].end_ns == ranges[i].end_ns);
  }
  const auto behind = packed.begin() + 3;
  CHECK(std::ranges::lower_bound(behind, packed.end(), 250'000, {}, &TimeRange::begin_ns) - packed.begin() ==
        253);
  CHECK(PackedRanges().list().empty());
  CHECK(PackedRanges().begin() == PackedRanges().end());
}
