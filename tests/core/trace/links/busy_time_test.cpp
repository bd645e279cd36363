// Covers: busy_time
// Sets of time ranges.
#include "core/trace/links/busy_time.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

using kino::TimeRange;

namespace {

bool same(const std::vector<TimeRange>& a, const std::vector<TimeRange>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].begin_ns != b[i].begin_ns || a[i].end_ns != b[i].end_ns) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("ranges that touch or overlap are merged, empty ones are dropped") {
  CHECK(same(kino::united({{5, 9}, {0, 3}, {3, 4}, {7, 8}, {20, 20}, {30, 10}}), {{0, 4}, {5, 9}}));
  CHECK(kino::united({}).empty());
}

TEST_CASE("an appended range extends the last one if it begins within it") {
  std::vector<TimeRange> ranges;
  for (const TimeRange range : {TimeRange{5, 9}, {6, 7}, {9, 12}, {3, 4}, {14, 15}})
    kino::append_range(ranges, range);
  CHECK(same(ranges, {{5, 12}, {3, 4}, {14, 15}}));
}

TEST_CASE("covered parts are removed at any position") {
  const std::vector<TimeRange> ranges{{0, 10}, {20, 30}, {40, 50}};
  const std::vector<TimeRange> without{{-5, 1}, {4, 6}, {9, 22}, {25, 26}, {28, 60}};
  CHECK(same(kino::without_ranges(ranges, without), {{1, 4}, {6, 9}, {22, 25}, {26, 28}}));
  CHECK(same(kino::without_ranges(ranges, {}), ranges));
  CHECK(kino::without_ranges({}, ranges).empty());
  CHECK(kino::length_of(kino::without_ranges(ranges, without)) == 11);
}

TEST_CASE("shares of bins equal covered() of each bin") {
  std::vector<TimeRange> ranges;
  std::int64_t at = 7;
  for (std::int64_t i = 0; i < 300; ++i) {
    const std::int64_t gap = 1 + i * i % 17;
    const std::int64_t length = 1 + i * 7 % 23 + (i % 50 == 0 ? 400 : 0);
    ranges.push_back({at + gap, at + gap + length});
    at += gap + length;
  }
  const kino::BusyLine line(ranges);
  for (const double length : {1.0, 3.5, 64.0, 1000.0}) {
    for (const double begin : {-500.0, 0.0, 133.25, 5000.0}) {
      std::vector<float> parts(200);
      line.shares(begin, length, parts);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto from = static_cast<std::int64_t>(begin + length * static_cast<double>(i));
        const auto to = static_cast<std::int64_t>(begin + length * static_cast<double>(i + 1));
        REQUIRE(parts[i] == doctest::Approx(static_cast<double>(line.covered(from, to)) / length));
      }
    }
  }
  REQUIRE(line.size() == ranges.size());
  CHECK(same({line.begin(), line.end()}, ranges));
  CHECK(line.length_ns() == kino::length_of(ranges));
  for (std::int64_t time = -3; time < ranges.back().end_ns + 5; time += 3) {
    const auto after = std::ranges::upper_bound(ranges, time, {}, &TimeRange::end_ns) - ranges.begin();
    std::int64_t before_ns = 0;
    for (const TimeRange& it : ranges)
      before_ns += std::max<std::int64_t>(0, std::min(it.end_ns, time) - it.begin_ns);
    for (const std::size_t near : {std::size_t{0}, static_cast<std::size_t>(time * 7 + 21) % 350}) {
      REQUIRE(line.first_after(time, near) == static_cast<std::size_t>(after));
      REQUIRE(line.covered(-10, time, near) == before_ns);
    }
  }
  CHECK(line.covered(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()) ==
        line.length_ns());
  CHECK(kino::BusyLine().first_after(3) == 0);
  std::vector<float> nothing(3, 1);
  kino::BusyLine().shares(0, 10, nothing);
  CHECK(nothing == std::vector<float>{0, 0, 0});
}
