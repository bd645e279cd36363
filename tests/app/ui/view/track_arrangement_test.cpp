// Covers: track_arrangement, track_layout
#include "app/ui/view/track_arrangement.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/ui/view/track_layout.hpp"
#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

using Names = std::vector<std::string>;

/// A main thread that launches on streams 7 and 8, another thread that launches on 9, collectives on 8, and
/// nearly empty threads.
std::shared_ptr<const Trace> job() {
  EventFixture events;
  events.op("step", 0, 100'000).op("other", 0, 50'000, "2");
  for (int i = 0; i < 4; ++i) events.op("blink", 1000 * i, 1, std::to_string(20 + i));
  events.launch(100, 10, 1).launch(200, 10, 2).launch(300, 10, 4).launch(100, 10, 3, "2");
  events.kernel("gemm", 500, 200, 1, "7").kernel("gemm", 800, 200, 4, "7");
  events.kernel("ncclDevKernel_AllReduce_Sum(int)", 600, 300, 2, "8").kernel("copy", 700, 10, 3, "9");
  return events.build();
}

/// The visible tracks from top to bottom, groups in brackets.
Names shown(const ShownRows& rows, const Arrangement& arrangement) {
  TrackLayout layout;
  layout.rebuild(rows, arrangement, LayoutMeasures{});
  Names names;
  for (const LayoutItem& item : layout.items()) {
    if (item.kind == LayoutItem::Kind::group)
      names.push_back("[" + rows.trace->processes[item.index].pid + "]");
    if (item.kind == LayoutItem::Kind::idle) names.push_back(std::to_string(item.count) + " idle");
    if (item.kind == LayoutItem::Kind::track) names.push_back(rows.track_at(item.index).name.str());
  }
  return names;
}

std::uint32_t named(const Trace& trace, const std::string& name) {
  std::uint32_t i = 0;
  while (trace.tracks[i].name != name) ++i;
  return i;
}

}  // namespace

TEST_CASE("threads are sorted by their launches, most first") {
  EventFixture events;
  events.op("idle thread", 0, 1000, "1").op("busy", 0, 1000, "2").op("main", 0, 1000, "3");
  for (std::uint32_t i = 0; i < 5; ++i) {
    const std::string thread = i == 0 ? "2" : "3";
    events.launch(10 + 20 * i, 10, i + 1, thread).kernel("gemm", 15 + 20 * i, 10, i + 1);
  }
  const auto trace = events.build();
  CHECK(shown(*trace, Arrangement::defaults(*trace)) ==
        Names{"[0]", "stream 7", "[100]", "thread 3", "thread 2", "thread 1"});
}

TEST_CASE("GPUs are first, and the profiler's own processes are last and folded") {
  Trace trace;
  for (const char* const pid : {"Spans", "100", "0"}) {
    Process& process = trace.processes.emplace_back();
    process.pid = pid;
    process.gpu = process.pid == "0";
    process.bookkeeping = process.pid == "Spans";
  }
  const Arrangement arrangement = Arrangement::defaults(trace);
  CHECK(arrangement.groups == std::vector<std::uint32_t>{2, 1, 0});
  CHECK(arrangement.group_open == std::vector<std::uint8_t>{0, 1, 1});
}

TEST_CASE("very many tracks are folded initially") {
  EventFixture events;
  for (std::uint32_t i = 0; i <= Arrangement::kMostOpenTracks; ++i)
    events.op("work", i, 50, std::to_string(i));
  events.kernel("gemm", 0, 10);
  const auto trace = events.build();
  Arrangement arrangement = Arrangement::defaults(*trace);
  CHECK(shown(*trace, arrangement) == Names{"[0]", "[100]"});
  arrangement.group_open[1] = 1;
  CHECK(shown(*trace, arrangement).size() > 2);
}

TEST_CASE("idle tracks are folded into a line that counts them, and shown on demand") {
  const auto trace = job();
  Arrangement arrangement = Arrangement::defaults(*trace);
  CHECK(shown(*trace, arrangement) ==
        Names{"[0]", "stream 7", "stream 8", "stream 9", "[100]", "thread 1", "thread 2", "4 idle"});
  arrangement.idle_open[1] = 1;
  CHECK(shown(*trace, arrangement).size() == 12);
  // Matches of a filter are shown even if they are idle.
  arrangement.idle_open[1] = 0;
  arrangement.filter = "THREAD 2";
  CHECK(shown(*trace, arrangement) ==
        Names{"[100]", "thread 2", "thread 20", "thread 21", "thread 22", "thread 23"});
  arrangement.filter = "stream compute";
  CHECK(shown(*trace, arrangement) == Names{"[0]", "stream 7", "stream 9"});
}

TEST_CASE("presets select the GPU, its collectives, or the main thread with its streams") {
  const auto trace = job();
  Arrangement arrangement = Arrangement::defaults(*trace);
  arrangement.apply(TrackPreset::gpu_only, *trace);
  CHECK(shown(*trace, arrangement) == Names{"[0]", "stream 7", "stream 8", "stream 9"});
  arrangement.apply(TrackPreset::communication, *trace);
  CHECK(shown(*trace, arrangement) == Names{"[0]", "stream 8"});
  arrangement.apply(TrackPreset::main_thread, *trace);
  CHECK(shown(*trace, arrangement) == Names{"[0]", "stream 7", "stream 8", "[100]", "thread 1"});
  arrangement.set_hidden(named(*trace, "stream 8"), true);
  CHECK(arrangement.preset == TrackPreset::all);
  arrangement.show_all();
  CHECK(arrangement.hidden_count() == 0);
}

TEST_CASE("pinned tracks are at the top and do not scroll; moved ones remain in their group") {
  const auto trace = job();
  const ShownRows rows(*trace);
  Arrangement arrangement = Arrangement::defaults(*trace);
  const std::uint32_t thread = named(*trace, "thread 2");
  const std::uint32_t stream = named(*trace, "stream 9");
  arrangement.move_track(stream, named(*trace, "stream 7"), rows);
  arrangement.move_track(thread, named(*trace, "stream 7"), rows);  // another group: no effect
  CHECK(shown(rows, arrangement)[1] == "stream 9");
  CHECK(shown(rows, arrangement)[5] == "thread 1");
  arrangement.toggle_pinned(thread);
  TrackLayout layout;
  layout.rebuild(rows, arrangement, LayoutMeasures{});
  const LayoutItem* item = layout.item_of(thread);
  REQUIRE(item != nullptr);
  CHECK(item->pinned);
  CHECK(layout.pinned_px() == item->height_px);
  CHECK(layout.hit(5, 40).item == item);
  CHECK(layout.y_of(*item, 40) == 0);
  // With 30 px scrolled away, the header of 28 px and 2 px of the first stream are above the window.
  const LayoutHit below = layout.hit(item->height_px + 1, 30);
  REQUIRE(below.item != nullptr);
  CHECK(below.item->index == stream);
}

TEST_CASE("pinned tracks that are higher than their part remain pinned, and that part scrolls separately") {
  const auto trace = job();
  const ShownRows rows(*trace);
  Arrangement arrangement = Arrangement::defaults(*trace);
  const std::uint32_t thread = named(*trace, "thread 2");
  const std::uint32_t stream = named(*trace, "stream 9");
  arrangement.toggle_pinned(thread);
  arrangement.toggle_pinned(stream);
  arrangement.tracks[thread].height = TrackHeight::expanded;
  TrackLayout layout;
  const double most = 30;
  layout.rebuild(rows, arrangement, LayoutMeasures{}, most);
  const LayoutItem* first = layout.item_of(thread);
  const LayoutItem* second = layout.item_of(stream);
  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  CHECK(first->pinned);
  CHECK(second->pinned);
  REQUIRE(first->height_px > most);
  CHECK(layout.pinned_px() == most);
  CHECK(layout.pinned_content_px() == first->height_px + second->height_px);
  CHECK(layout.items()[2].top_px == most);

  const TrackScroll down{0, second->top_px};
  CHECK(layout.hit(5, {}).item == first);
  CHECK(layout.hit(5, down).item == second);
  CHECK(layout.y_of(*second, down) == 0);
  CHECK(layout.hit(most + 1, down).item == &layout.items()[2]);
  CHECK(layout.hit(most + 1, {}).item == &layout.items()[2]);
  std::vector<const LayoutItem*> seen;
  layout.visit_visible(down, most, [&](const LayoutItem& item, double) { seen.push_back(&item); });
  CHECK(seen == std::vector<const LayoutItem*>{second});
  std::vector<LaneDraw> lanes;
  layout.visible_lanes(TrackScroll{0, 20}, most, lanes);
  for (const LaneDraw& lane : lanes) {
    CHECK(lane.top_px < most);
    CHECK(lane.top_px + lane.height_px > 0);
  }
}

TEST_CASE("packed streams replace the streams, and slices are found in them") {
  const auto trace = job();
  const PackedStreams packed = pack_streams(*trace, {}, {});
  const ShownRows rows(*trace, &packed);
  Arrangement arrangement = Arrangement::defaults(*trace);
  arrangement.add_tracks(rows);
  CHECK(shown(rows, arrangement)[1] == "stream 7");
  arrangement.packed[0] = 1;
  CHECK(shown(rows, arrangement) ==
        Names{"[0]", "compute", "communication", "[100]", "thread 1", "thread 2", "4 idle"});
  TrackLayout layout;
  layout.rebuild(rows, arrangement, LayoutMeasures{});
  const SliceId collective = slice_named(*trace, "ncclDevKernel_AllReduce_Sum(int)");
  const RowId row = layout.row_of(collective);
  CHECK(rows.is_packed(row));
  const LanePlace place = layout.place_of(row);
  REQUIRE(place.item != nullptr);
  const LayoutHit hit = layout.hit(place.top_px + 1, 0);
  CHECK(hit.kind == LayoutHit::Kind::lane);
  CHECK(RowId{hit.row} == row);
}

TEST_CASE("merged lanes take one line; heights change the pitch") {
  EventFixture events;
  events.op("a", 0, 1000).op("b", 10, 500).op("c", 20, 100);
  const auto trace = events.build();
  Arrangement arrangement = Arrangement::defaults(*trace);
  TrackLayout layout;
  layout.rebuild(*trace, arrangement, LayoutMeasures{});
  CHECK(layout.items()[1].height_px == 3 * 18 + 8);
  arrangement.tracks[0].height = TrackHeight::compact;
  layout.rebuild(*trace, arrangement, LayoutMeasures{});
  CHECK(layout.items()[1].height_px == 3 * 8 + 8);
  arrangement.tracks[0] = {TrackFold::merged, TrackHeight::expanded, false, {}};
  layout.rebuild(*trace, arrangement, LayoutMeasures{});
  CHECK(layout.items()[1].height_px == 30 + 8);
  std::vector<LaneDraw> lanes;
  layout.visible_lanes(0, 500, lanes);
  REQUIRE(lanes.size() == 3);
  CHECK(lanes[0].top_px == lanes[2].top_px);
  CHECK(lanes[2].index == 2);  // the innermost lane is drawn last
}
