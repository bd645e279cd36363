// Covers: chain_outline, flow_chain
#include "app/pages/timeline/pointing/chain_outline.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/timeline/flow_chain.hpp"
#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

using Names = std::vector<std::string>;

/// A module call with an operator that calls another one, which launches two kernels.
std::shared_ptr<const Trace> launching_trace() {
  EventFixture events;
  events.slice(TrackClass::cpu, "python_function", "nn.Module: Linear_0", 0, 1000, "1");
  events.op("aten::linear", 100, 800).op("aten::addmm", 200, 600);
  events.launch(300, 50, 1).launch(400, 50, 2);
  events.kernel("gemm", 5000, 100, 1).kernel("bias", 6000, 100, 2);
  return events.build();
}

Names names_of(const Trace& trace, const std::vector<SliceId>& slices) {
  Names names;
  for (const SliceId slice : slices) names.emplace_back(trace.name_of(slice));
  return names;
}

}  // namespace

TEST_CASE("a kernel is connected with its launch call, its operator and its module") {
  const auto trace = launching_trace();
  const ConnectedSlices connected = connected_slices(*trace, slice_named(*trace, "bias"));
  CHECK(names_of(*trace, connected.named) == Names{"cudaLaunchKernel", "aten::addmm", "nn.Module: Linear_0"});
  CHECK(trace->start_ns(connected.named.front()) == 400);
  CHECK(connected.others.empty());
}

TEST_CASE("a launch call and an operator are connected with the work that they launch") {
  const auto trace = launching_trace();
  const SliceId launch = slice_named(*trace, "cudaLaunchKernel");
  CHECK(names_of(*trace, connected_slices(*trace, launch).named) ==
        Names{"aten::addmm", "nn.Module: Linear_0", "gemm"});
  const ConnectedSlices below = connected_slices(*trace, slice_named(*trace, "aten::linear"));
  CHECK(names_of(*trace, below.named) == Names{"cudaLaunchKernel", "nn.Module: Linear_0", "gemm"});
  CHECK(names_of(*trace, below.others) == Names{"bias"});
}

TEST_CASE("a slice without a launch is connected with nothing") {
  EventFixture events;
  events.op("aten::mm", 0, 100).kernel("lone", 200, 100);
  const auto trace = events.build();
  for (const char* name : {"aten::mm", "lone"}) {
    CHECK(connected_slices(*trace, slice_named(*trace, name)).named.empty());
    CHECK(connected_slices(*trace, slice_named(*trace, name)).others.empty());
  }
}

TEST_CASE("few of the slices that a large operator launches are connected with it") {
  EventFixture events;
  events.op("aten::large", 0, 1'000'000);
  for (std::uint32_t i = 0; i < 500; ++i)
    events.launch(10 + 100 * i, 50, i + 1).kernel("small", 2'000'000 + 100 * i, 50, i + 1);
  const auto trace = events.build();
  const ConnectedSlices connected = connected_slices(*trace, slice_named(*trace, "aten::large"));
  CHECK(connected.named.size() + connected.others.size() <= 40);
  CHECK(names_of(*trace, connected.named) == Names{"cudaLaunchKernel", "small"});
}

TEST_CASE("a slice outside of the visible time is beyond the left or right edge of the view") {
  const auto trace = launching_trace();
  TimelineState state(trace);
  const SliceId kernel = slice_named(*trace, "gemm");
  const auto edge = [&](TimeRange shown) {
    state.navigation.show(shown);
    state.place(0, 0, 1240, 800);
    return edge_beyond(state, kernel);
  };
  CHECK(edge({0, 10'000}) == BeyondEdge::none);
  CHECK(edge({0, 4000}) == BeyondEdge::right);
  CHECK(edge({5200, 9000}) == BeyondEdge::left);
  CHECK(edge({5050, 9000}) == BeyondEdge::none);
}

TEST_CASE("a slice that is scrolled away is beyond the upper or lower edge, and a hidden one beyond none") {
  EventFixture events;
  for (int thread = 1; thread <= 60; ++thread) events.op("aten::mm", 0, 1000, std::to_string(thread));
  const auto trace = events.build();
  TimelineState state(trace);
  state.navigation.show({0, 1000});
  state.place(0, 0, 1240, 500);
  SliceId first = kNoSlice;
  SliceId last = kNoSlice;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const SliceId slice{i};
    const auto y = [&](SliceId id) { return state.lane_of(id)->y_px; };
    if (first == kNoSlice || y(slice) < y(first)) first = slice;
    if (last == kNoSlice || y(slice) > y(last)) last = slice;
  }
  CHECK(edge_beyond(state, first) == BeyondEdge::none);
  CHECK(edge_beyond(state, last) == BeyondEdge::bottom);
  state.scroll.jump_to(1e6);
  CHECK(edge_beyond(state, first) == BeyondEdge::top);
  CHECK(edge_beyond(state, last) == BeyondEdge::none);
  state.arrangement.group_open.assign(state.arrangement.group_open.size(), 0);
  state.layout_stale = true;
  state.place(0, 0, 1240, 500);
  CHECK(edge_beyond(state, last) == BeyondEdge::none);
  CHECK(edge_beyond(state, first) == BeyondEdge::none);
}
