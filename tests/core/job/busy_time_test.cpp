// Stretches of time as sets.
#include "core/job/busy_time.hpp"

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

TEST_CASE("stretches that touch or overlap are one, empty ones are none") {
  CHECK(same(kino::united({{5, 9}, {0, 3}, {3, 4}, {7, 8}, {20, 20}, {30, 10}}), {{0, 4}, {5, 9}}));
  CHECK(kino::united({}).empty());
}

TEST_CASE("what others cover is cut out, wherever it lies") {
  const std::vector<TimeRange> ranges{{0, 10}, {20, 30}, {40, 50}};
  const std::vector<TimeRange> without{{-5, 1}, {4, 6}, {9, 22}, {25, 26}, {28, 60}};
  CHECK(same(kino::left_of(ranges, without), {{1, 4}, {6, 9}, {22, 25}, {26, 28}}));
  CHECK(same(kino::left_of(ranges, {}), ranges));
  CHECK(kino::left_of({}, ranges).empty());
  CHECK(kino::length_of(kino::left_of(ranges, without)) == 11);
}
