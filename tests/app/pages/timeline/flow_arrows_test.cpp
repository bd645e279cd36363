// Covers: flow_arrows
#include "app/pages/timeline/flow_arrows.hpp"

#include <memory>

#include <doctest/doctest.h>

#include "tests/fixtures/trace_fixture.hpp"

using namespace kino;

namespace {

/// A launch on track 0, and its kernels on track 1.
struct Launches {
  explicit Launches(std::uint32_t kernels) {
    TraceFixture fixture;
    fixture.add_row({{0, 100, 0}});
    std::vector<FixtureSlice> work;
    for (std::uint32_t i = 0; i < kernels; ++i) work.push_back({200 + 10 * std::int64_t{i}, 5, 1});
    fixture.add_row(work);
    trace = std::const_pointer_cast<Trace>(fixture.build());
    trace->slices.kind[0] = SliceKind::runtime;
    trace->slices.link[0] = SliceId{1};
    trace->flows.launched = Column<SliceId>(kernels > 1 ? kernels : 0);
    for (std::uint32_t i = 0; i < kernels; ++i) {
      trace->slices.kind[i + 1] = SliceKind::compute;
      trace->slices.link[i + 1] = SliceId{0};
      if (kernels > 1) trace->flows.launched[i] = SliceId{i + 1};
    }
  }
  std::shared_ptr<Trace> trace;
};

}  // namespace

TEST_CASE("thinning keeps the first and the last arrow and spreads the rest evenly") {
  std::vector<FlowArrow> arrows;
  for (std::uint32_t i = 0; i < 1000; ++i) arrows.push_back({SliceId{0}, SliceId{i}, ArrowKind::launch});
  const std::vector<FlowArrow> few = thinned(arrows, 64);
  REQUIRE(few.size() == 64);
  CHECK(few.front() == arrows.front());
  CHECK(few.back() == arrows.back());
  for (std::size_t i = 1; i < few.size(); ++i) {
    const std::uint32_t step = index_of(few[i].to) - index_of(few[i - 1].to);
    CHECK(step >= 15);
    CHECK(step <= 16);
  }
  CHECK(thinned(arrows, 1000) == arrows);
  CHECK(thinned(arrows, 1).size() == 1);
  CHECK(thinned(arrows, 0).empty());
}

TEST_CASE("a launch of 1,753 kernels shows 64 arrows and counts all") {
  const Launches launches(1753);
  const FlowArrows chain = chain_of(*launches.trace, SliceId{0}, 64);
  CHECK(chain.arrows.size() == 64);
  CHECK(chain.total == 1753);
  CHECK(chain.arrows.front().to == SliceId{1});
  CHECK(chain.arrows.back().to == SliceId{1753});
}

TEST_CASE("follows the flow from a launch to its kernel and back") {
  const Launches launches(1);
  CHECK(follow_flow_forward(*launches.trace, SliceId{0}) == SliceId{1});
  CHECK(follow_flow_forward(*launches.trace, SliceId{1}) == SliceId{0});
  CHECK(follow_flow_backward(*launches.trace, SliceId{1}) == SliceId{0});
  CHECK(follow_flow_backward(*launches.trace, SliceId{0}) == kNoSlice);
  const FlowArrows chain = chain_of(*launches.trace, SliceId{1}, 64);
  REQUIRE(chain.arrows.size() == 1);
  CHECK(chain.arrows[0] == FlowArrow{SliceId{0}, SliceId{1}, ArrowKind::launch});
}

TEST_CASE("limits the flows in view, and finds none without flows") {
  const Launches launches(1753);
  const std::vector<RowId> rows{RowId{0}, RowId{1}};
  CHECK(arrows_in_view(*launches.trace, rows, {0, 100'000}, 200).arrows.size() <= 200);
  CHECK(arrows_in_view(*launches.trace, rows, {0, 100'000}, 200).arrows.size() > 50);
  CHECK(arrows_in_view(*launches.trace, rows, {50'000, 100'000}, 200).arrows.empty());
  CHECK(arrows_in_view(*launches.trace, {}, {0, 100'000}, 200).arrows.empty());
}

TEST_CASE("an arrow extends from its slice to the target's begin, or to the track that hides it") {
  const Launches launches(1);
  TimelineState state(launches.trace);
  state.navigation.show({0, 1000});
  state.place(0, 0, 1240, 800);
  const FlowArrow arrow{SliceId{0}, SliceId{1}, ArrowKind::launch};
  const auto curve = arrow_curve(state, arrow);
  REQUIRE(curve);
  CHECK(curve->from_shown);
  CHECK(curve->to_shown);
  const TimeView& view = state.navigation.view();
  CHECK(curve->points[0].x == doctest::Approx(state.boxes.tracks.left + view.px_from_ns(100)).epsilon(0.01));
  CHECK(curve->points[3].x == doctest::Approx(state.boxes.tracks.left + view.px_from_ns(200)).epsilon(0.01));
  CHECK(curve->points[0].y < curve->points[3].y);

  state.arrangement.group_open[0] = 0;
  state.layout_stale = true;
  state.place(0, 0, 1240, 800);
  const auto folded = arrow_curve(state, arrow);
  REQUIRE(folded);
  CHECK_FALSE(folded->from_shown);
  CHECK_FALSE(folded->to_shown);

  state.navigation.show({1'000'000, 2'000'000});
  state.place(0, 0, 1240, 800);
  CHECK_FALSE(arrow_curve(state, arrow));
}
