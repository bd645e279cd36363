// Covers: range_selection
#include "app/ui/view/range_selection.hpp"

#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/trace_fixture.hpp"

using namespace kino;

namespace {

constexpr TimeView kView{0, 10, 1000};  // 10 ns per pixel

std::optional<std::int64_t> snapped(const Trace& trace, std::vector<RowId> rows, double px,
                                    double tolerance_px = 6) {
  return nearest_edge(trace, rows, kView, px, tolerance_px);
}

}  // namespace

TEST_CASE("a drag in either direction marks an ordered range") {
  RangeSelection selection;
  selection.begin(100);
  CHECK_FALSE(selection.range());
  selection.drag_to(250);
  CHECK(selection.range() == TimeRange{100, 250});
  CHECK(selection.generation() == 0);
  selection.drag_to(40);
  CHECK(selection.range() == TimeRange{40, 100});
  selection.finish();
  CHECK(selection.range() == TimeRange{40, 100});
  CHECK(selection.generation() == 1);
}

TEST_CASE("a click without a drag clears the range") {
  RangeSelection selection;
  selection.set({10, 20});
  selection.begin(500);
  CHECK(selection.range() == TimeRange{10, 20});
  selection.finish();
  CHECK_FALSE(selection.range());
  CHECK(selection.generation() == 2);
}

TEST_CASE("an edge that is dragged past the other edge swaps roles with it") {
  RangeSelection selection;
  selection.set({100, 200});
  selection.grab(RangeSelection::Edge::begin);
  selection.drag_to(150);
  CHECK(selection.range() == TimeRange{150, 200});
  selection.drag_to(260);
  CHECK(selection.range() == TimeRange{200, 260});
  selection.finish();
  selection.grab(RangeSelection::Edge::end);
  selection.drag_to(300);
  selection.finish();
  CHECK(selection.range() == TimeRange{200, 300});
}

TEST_CASE("a click on an edge changes nothing") {
  RangeSelection selection;
  selection.set({100, 200});
  selection.grab(RangeSelection::Edge::end);
  selection.finish();
  CHECK(selection.range() == TimeRange{100, 200});
  CHECK(selection.generation() == 1);
}

TEST_CASE("a cancelled drag restores the previous range") {
  RangeSelection selection;
  selection.set({100, 200});
  selection.begin(500);
  selection.drag_to(600);
  selection.cancel();
  CHECK(selection.range() == TimeRange{100, 200});
  CHECK_FALSE(selection.dragging());
  CHECK(selection.generation() == 1);
}

TEST_CASE("a range without a length is not marked") {
  RangeSelection selection;
  selection.set({5, 5});
  CHECK_FALSE(selection.range());
  selection.grab(RangeSelection::Edge::begin);
  selection.drag_to(7);
  CHECK_FALSE(selection.range());
}

TEST_CASE("a point snaps to starts and ends within the tolerance, and not beyond") {
  TraceFixture fixture;
  const RowId row = fixture.add_row({{1000, 500}, {2000, 100}});
  const auto trace = fixture.build();
  CHECK(snapped(*trace, {row}, 103) == 1000);
  CHECK(snapped(*trace, {row}, 97) == 1000);
  CHECK(snapped(*trace, {row}, 106) == 1000);
  CHECK_FALSE(snapped(*trace, {row}, 107));
  CHECK(snapped(*trace, {row}, 148) == 1500);
  CHECK(snapped(*trace, {row}, 206) == 2100);
  CHECK(snapped(*trace, {row}, 204) == 2000);
  CHECK_FALSE(snapped(*trace, {row}, 500));
}

TEST_CASE("the nearest edge of all rows wins, and ties are resolved by row") {
  TraceFixture fixture;
  const RowId a = fixture.add_row({{1000, 100}});
  const RowId b = fixture.add_row({{1020, 400}});
  const RowId empty = fixture.add_row({});
  const auto trace = fixture.build();
  CHECK(snapped(*trace, {a, b, empty}, 101.5) == 1020);
  CHECK(snapped(*trace, {a, b}, 100.4) == 1000);
  CHECK(snapped(*trace, {a, b}, 101) == 1000);
  CHECK(snapped(*trace, {b, a}, 101) == 1020);
  CHECK_FALSE(snapped(*trace, {}, 100));
}

TEST_CASE("snapping agrees with a search through all edges") {
  std::mt19937 random(7);
  const auto below = [&](int limit) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(limit));
  };
  for (int round = 0; round < 200; ++round) {
    TraceFixture fixture;
    std::vector<RowId> rows;
    std::vector<std::int64_t> edges;
    for (int r = 0; r < 3; ++r) {
      std::vector<FixtureSlice> slices;
      std::int64_t at = below(300);
      for (int i = 0; i < 20; ++i) {
        const std::int64_t length = below(4) == 0 ? 0 : below(400);
        slices.push_back({at, length});
        edges.insert(edges.end(), {at, at + length});
        at += length + below(300) + (length == 0 ? 1 : 0);
      }
      rows.push_back(fixture.add_row(slices));
    }
    const auto trace = fixture.build();
    for (int probe = 0; probe < 50; ++probe) {
      const auto px = static_cast<double>(below(1000));
      double nearest = 1e18;
      for (const std::int64_t edge : edges) {
        nearest = std::min(nearest, std::abs(static_cast<double>(edge) - px * 10));
      }
      const auto found = snapped(*trace, rows, px);
      REQUIRE(found.has_value() == (nearest <= 60));
      if (found) CHECK(std::abs(static_cast<double>(*found) - px * 10) == nearest);
    }
  }
}
