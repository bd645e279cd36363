// Covers: range_tracks
#include "app/ui/view/range_tracks.hpp"

#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

using Tracks = std::vector<std::uint32_t>;

struct TracksFixture {
  std::shared_ptr<const Trace> trace;
  std::unique_ptr<TimelineState> state;

  TracksFixture() {
    EventFixture events;
    for (const char* thread : {"1", "2", "3"}) events.op("aten::mm", 0, 1000, thread);
    events.kernel("gemm", 0, 1000, 0, "7").kernel("gemm", 0, 1000, 0, "8");
    trace = events.build();
    state = std::make_unique<TimelineState>(trace);
    state->place(0, 0, 1000, 800);
    state->marked.set({0, 500});
  }
  std::uint32_t track(std::string_view tid) const {
    for (std::uint32_t i = 0; i < trace->tracks.size(); ++i) {
      if (trace->tracks[i].tid == tid) return i;
    }
    return ~0U;
  }
  const LayoutItem& item(std::string_view tid) const { return *state->layout.item_of(track(tid)); }
};

Tracks ascending_of(Tracks tracks) {
  std::ranges::sort(tracks);
  return tracks;
}

}  // namespace

TEST_CASE("a drag in either direction covers the tracks between its ends, and all of a folded group") {
  TracksFixture fixture;
  TimelineState& state = *fixture.state;
  const Tracks two = ascending_of({fixture.track("1"), fixture.track("2")});
  CHECK(covered_tracks(state, fixture.item("1"), fixture.item("2")) == two);
  CHECK(covered_tracks(state, fixture.item("2"), fixture.item("1")) == two);
  CHECK(covered_tracks(state, fixture.item("7"), fixture.item("7")) == Tracks{fixture.track("7")});
  const std::uint32_t process = fixture.trace->tracks[fixture.track("1")].process;
  const LayoutItem& header = *state.layout.group_item(process);
  CHECK(covered_tracks(state, header, header).empty());
  state.arrangement.group_open[process] = 0;
  state.rebuild_layout();
  const LayoutItem& folded = *state.layout.group_item(process);
  CHECK(covered_tracks(state, folded, folded).size() == 3);
}

TEST_CASE("check boxes and sides add and remove tracks; a range of all tracks stores no list of tracks") {
  TracksFixture fixture;
  TimelineState& state = *fixture.state;
  CHECK_FALSE(state.marked.tracks());
  CHECK_FALSE(track_set(state));
  const Tracks gpu = summable_tracks(state, RangeSide::gpu);
  const Tracks cpu = summable_tracks(state, RangeSide::cpu);
  CHECK(gpu.size() == 2);
  CHECK(cpu.size() == 3);
  CHECK(summable_tracks(state).size() == 5);
  const std::uint64_t before = state.marked.generation();
  toggle_side(state, RangeSide::cpu);
  CHECK(state.marked.generation() == before + 1);
  CHECK(state.marked.tracks() == ascending_of(gpu));
  CHECK(ticked(state, cpu) == Ticked::none);
  CHECK(ticked(state, gpu) == Ticked::all);
  CHECK(track_set(state)->tracks == ascending_of(gpu));
  tick(state, Tracks{fixture.track("2")}, true);
  CHECK(ticked(state, cpu) == Ticked::some);
  toggle_side(state, RangeSide::gpu);
  CHECK(state.marked.tracks() == Tracks{fixture.track("2")});
  toggle_side(state, RangeSide::gpu);
  toggle_side(state, RangeSide::cpu);
  CHECK_FALSE(state.marked.tracks());
  tick(state, Tracks{fixture.track("7")}, false);
  CHECK(state.marked.tracks()->size() == 4);
  toggle_side(state, RangeSide::all);
  CHECK_FALSE(state.marked.tracks());
}

TEST_CASE("Esc during a drag restores range and tracks; a new range on the ruler is of all tracks") {
  RangeSelection selection;
  selection.begin(10);
  selection.drag_to(20);
  selection.cover(Tracks{1, 2});
  CHECK(selection.generation() == 0);
  selection.finish();
  CHECK(selection.generation() == 1);
  CHECK(selection.tracks() == Tracks{1, 2});
  selection.begin(100);
  selection.drag_to(200);
  selection.cover(std::nullopt);
  selection.cancel();
  CHECK(selection.range() == TimeRange{10, 20});
  CHECK(selection.tracks() == Tracks{1, 2});
  selection.set({10, 20});
  CHECK_FALSE(selection.tracks());
  CHECK(selection.generation() == 2);
  selection.cover(Tracks{3});
  selection.clear();
  CHECK_FALSE(selection.tracks());
  selection.cover(Tracks{3});
  CHECK_FALSE(selection.tracks());
}
