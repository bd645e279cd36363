// Covers: set_curves
// Curves of many snapshots as columns of pixels that show every peak.
#include "app/pages/snapshot_set/set_curves.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using kino::curve_columns;
using kino::CurveColumn;
using kino::SnapshotSums;

namespace {

SnapshotSums sums_of(const std::vector<std::uint64_t>& values) {
  SnapshotSums sums;
  kino::EventIndex event = 0;
  for (const std::uint64_t value : values) sums.curve.push_back({event++, 0, value, value, value});
  return sums;
}

}  // namespace

TEST_CASE("a curve keeps its value until the next event, whose column contains the step") {
  const SnapshotSums sums = sums_of({5, 9, 2});
  const std::vector<CurveColumn> columns = curve_columns(sums, {0, 2, 4}, 6, 0, 1, 8);
  CHECK(columns[0].lowest == 5);
  CHECK(columns[1].highest == 5);
  CHECK(columns[2].lowest == 5);
  CHECK(columns[2].highest == 9);
  CHECK(columns[3].lowest == 9);
  CHECK(columns[4].lowest == 2);
  CHECK(columns[4].highest == 9);
  CHECK(columns[5].highest == 2);
  CHECK(columns[6].any);
  CHECK(!columns[7].any);
}

TEST_CASE("columns outside of the recording are empty") {
  const SnapshotSums sums = sums_of({5, 9});
  for (const CurveColumn& column : curve_columns(sums, {0, 2}, 4, 100, 1, 8)) CHECK(!column.any);
  for (const CurveColumn& column : curve_columns(sums, {50, 60}, 70, 0, 1, 8)) CHECK(!column.any);
  CHECK(curve_columns(sums, {0, 2}, 4, 0, 1, 0).empty());
  CHECK(!curve_columns({}, {}, 0, 0, 1, 1).front().any);
}

TEST_CASE("a column contains the highest and the lowest of its points") {
  std::mt19937 random(8);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::uint64_t> values;
    std::vector<double> places;
    double at = 0;
    for (int i = 0; i < 400; ++i) {
      values.push_back(random() % 1000);
      places.push_back(at);
      at += static_cast<double>(random() % 10);
    }
    const SnapshotSums sums = sums_of(values);
    constexpr std::size_t kWidth = 37;
    const double per_px = at / kWidth;
    const std::vector<CurveColumn> columns = curve_columns(sums, places, at, 0, per_px, kWidth);
    std::uint64_t highest = 0;
    for (const CurveColumn& column : columns) {
      CHECK(column.any);
      highest = std::max(highest, column.highest);
    }
    CHECK(highest == *std::ranges::max_element(values));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto x = std::min(kWidth - 1, static_cast<std::size_t>(places[i] / per_px));
      CHECK(columns[x].highest >= values[i]);
      CHECK(columns[x].lowest <= values[i]);
    }
  }
}
