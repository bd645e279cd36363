// Covers: slice_distances
#include "app/pages/timeline/pointing/slice_distances.hpp"

#include <random>

#include <doctest/doctest.h>

#include "app/pages/timeline/range_gesture.hpp"
#include "app/ui/view/range_selection.hpp"
#include "tests/fixtures/trace_fixture.hpp"

using namespace kino;

namespace {

constexpr TimeView kTenNsPerPx{0, 10, 1000};

/// Returns the place of a click at `px` on the only row, as the timeline determines it.
MeasuredPlace clicked_at(const Trace& trace, double px) {
  const std::vector<RowId> rows{RowId{0}};
  const EventPick pick = pick_slice(trace, rows[0], kTenNsPerPx, px, 0);
  return measured_place(trace, pick.event, nearest_edge(trace, rows, kTenNsPerPx, px, RangeGesture::kSnapPx),
                        static_cast<std::int64_t>(kTenNsPerPx.ns_from_px(px)));
}

}  // namespace

TEST_CASE("a measurement ends at the slice under the mouse, else at an edge within 6 px, else at the pixel") {
  TraceFixture fixture;
  fixture.add_row({{1000, 500, 0}, {3000, 500, 0}});
  const auto trace = fixture.build();
  CHECK(clicked_at(*trace, 101) == MeasuredPlace{{1000, 1500}, SliceId{0}, false});
  CHECK(clicked_at(*trace, 320) == MeasuredPlace{{3000, 3500}, SliceId{1}, false});
  CHECK(clicked_at(*trace, 155) == MeasuredPlace{{1500, 1500}, kNoSlice, false});
  CHECK(clicked_at(*trace, 294) == MeasuredPlace{{3000, 3000}, kNoSlice, false});
  CHECK(clicked_at(*trace, 293) == MeasuredPlace{{2930, 2930}, kNoSlice, true});
  CHECK(clicked_at(*trace, 200) == MeasuredPlace{{2000, 2000}, kNoSlice, true});
}

TEST_CASE("the distances of two slices are their gap or overlap, and those of their starts and ends") {
  const SliceDistances apart = distances_between({100, 150}, {400, 900});
  CHECK_FALSE(apart.overlap);
  CHECK(apart.gap == TimeRange{150, 400});
  CHECK(apart.starts == TimeRange{100, 400});
  CHECK(apart.ends == TimeRange{150, 900});
  const SliceDistances overlapping = distances_between({100, 300}, {250, 900});
  CHECK(overlapping.overlap);
  CHECK(overlapping.gap == TimeRange{250, 300});
  const SliceDistances nested = distances_between({100, 900}, {250, 300});
  CHECK(nested.overlap);
  CHECK(nested.gap == TimeRange{250, 300});
  CHECK(nested.ends == TimeRange{300, 900});
  const SliceDistances touching = distances_between({100, 200}, {200, 300});
  CHECK_FALSE(touching.overlap);
  CHECK(touching.gap.length_ns() == 0);
  const SliceDistances point = distances_between({100, 200}, {700, 700});
  CHECK(point.gap == TimeRange{200, 700});
}

TEST_CASE("the order of the slices does not change their distances") {
  std::mt19937 random(7);
  std::uniform_int_distribution<std::int64_t> time(0, 50);
  for (int i = 0; i < 1000; ++i) {
    const auto range = [&] {
      const std::int64_t begin = time(random);
      return TimeRange{begin, begin + time(random)};
    };
    const TimeRange a = range();
    const TimeRange b = range();
    const SliceDistances one = distances_between(a, b);
    const SliceDistances other = distances_between(b, a);
    CHECK(one.gap == other.gap);
    CHECK(one.overlap == other.overlap);
    CHECK(one.starts == other.starts);
    CHECK(one.ends == other.ends);
    // Signed: negative while both are active.
    const std::int64_t between = std::max(a.begin_ns, b.begin_ns) - std::min(a.end_ns, b.end_ns);
    CHECK(one.overlap == (between < 0));
    CHECK(one.gap.length_ns() == std::abs(between));
  }
}
