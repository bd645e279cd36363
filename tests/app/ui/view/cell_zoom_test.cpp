// Covers: cell_zoom
#include "app/ui/view/cell_zoom.hpp"

#include <doctest/doctest.h>

#include "tests/fixtures/trace_fixture.hpp"

using namespace kino;

TEST_CASE("the slices that share a pixel are fitted, and no others") {
  TraceFixture fixture;
  const RowId row = fixture.add_row({{100, 50}, {4700, 10}, {4900, 10}, {5200, 300}, {9000, 10}});
  const auto trace = fixture.build();
  const TimeView view{0, 1000, 100};
  CHECK(separating_range(*trace, row, view, 5) == TimeRange{4700, 5500});
  CHECK(separating_range(*trace, row, view, 50) == TimeRange{});
}

TEST_CASE("of very many slices, those around the pixel's middle are fitted") {
  TraceFixture fixture;
  std::vector<FixtureSlice> slices;
  for (int i = 0; i < 1000; ++i) slices.push_back({i * 10, 5});
  const RowId row = fixture.add_row(slices);
  const auto trace = fixture.build();
  const TimeRange range = separating_range(*trace, row, {0, 10'000, 100}, 0.5);
  CHECK(range.length_ns() == (kMaxSeparated - 1) * 10 + 5);
  CHECK(range.begin_ns < 5000);
  CHECK(range.end_ns > 5000);
}

TEST_CASE("a row without slices has an empty range") {
  TraceFixture fixture;
  const RowId row = fixture.add_row({});
  CHECK(separating_range(*fixture.build(), row, {0, 10, 100}, 5) == TimeRange{});
}
