// Covers: track_layout
#include "app/ui/view/track_layout.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "core/trace/timeline/stream_annotations.hpp"
#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

/// Adds tracks to a trace without slices: the layout only uses counts.
struct TraceSketch {
  std::unique_ptr<Trace> trace = std::make_unique<Trace>();

  void process(const char* pid) {
    Process process;
    process.pid = pid;
    process.bookkeeping = process.pid == "Spans" || process.pid == "Traces";
    process.first_track = static_cast<std::uint32_t>(trace->tracks.size());
    trace->processes.push_back(process);
  }
  void track(std::uint32_t lanes, std::uint32_t instants = 0, TrackKind kind = TrackKind::cpu_thread) {
    Track track;
    track.kind = kind;
    track.process = static_cast<std::uint32_t>(trace->processes.size()) - 1;
    track.first_row = static_cast<std::uint32_t>(trace->rows.size());
    track.row_count = lanes;
    track.instant_count = instants;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      Row row;
      row.track = TrackId(static_cast<std::uint32_t>(trace->tracks.size()));
      row.lane = lane;
      trace->rows.push_back(row);
    }
    trace->tracks.push_back(track);
    ++trace->processes.back().track_count;
  }
};

/// Group (28), one lane (26), a counter (46), three lanes with instants (71); then a folded group of
/// bookkeeping.
TraceSketch small_sketch() {
  TraceSketch sketch;
  sketch.process("Spans");
  sketch.track(1);
  sketch.process("7");
  sketch.track(1, 0, TrackKind::gpu_stream);
  sketch.track(0, 0, TrackKind::counter);
  sketch.track(3, 5);
  return sketch;
}

}  // namespace

TEST_CASE("a window ends with the last whole line, at every scroll position") {
  const TraceSketch sketch = small_sketch();
  TrackLayout layout;
  layout.rebuild(*sketch.trace, Arrangement::defaults(*sketch.trace), LayoutMeasures{});
  // Group 0..28, lane 28..54, counter 54..100, three lanes with instants 100..171, group 171..199.
  CHECK(layout.whole_lines_px(0, 199) == 199);
  CHECK(layout.whole_lines_px(0, 300) == 300);
  CHECK(layout.whole_lines_px(0, 185) == 171);
  CHECK(layout.whole_lines_px(0, 168) == 168);  // only padding is cut
  CHECK(layout.whole_lines_px(0, 140) == 113 + 18);
  CHECK(layout.whole_lines_px(0, 120) == 113);  // below the instants
  CHECK(layout.whole_lines_px(40, 100) == 113 + 18 - 40);
  CHECK(layout.whole_lines_px(0, 98) == 98);  // the counter would take more than a quarter of the window
  std::vector<LaneDraw> lanes;
  for (double scroll = 0; scroll < 80; scroll += 1) {
    const double shown = layout.whole_lines_px(scroll, 119);
    CHECK(shown <= 119);
    layout.visible_lanes(scroll, shown, lanes);
    REQUIRE(!lanes.empty());
    if (shown < 119) CHECK(lanes.back().top_px + lanes.back().height_px <= shown + 4);
  }
}

TEST_CASE("groups, tracks and lanes are placed one below another without gaps, bookkeeping last") {
  const TraceSketch sketch = small_sketch();
  TrackLayout layout;
  layout.rebuild(*sketch.trace, Arrangement::defaults(*sketch.trace), LayoutMeasures{});
  REQUIRE(layout.items().size() == 5);
  double top = 0;
  for (const LayoutItem& item : layout.items()) {
    CHECK(item.top_px == top);
    top = item.bottom_px();
  }
  CHECK(layout.height_px() == top);
  CHECK(layout.items()[0].index == 1);
  CHECK(layout.items()[1].height_px == 26);
  CHECK(layout.items()[2].height_px == 46);
  CHECK(layout.items()[3].height_px == 4 + 8 + 1 + 3 * 18 + 4);
  CHECK(layout.items()[4].kind == LayoutItem::Kind::group);
  CHECK(layout.items()[4].index == 0);
}

TEST_CASE("a position is resolved to its group, track, instants, lane or counter") {
  const TraceSketch sketch = small_sketch();
  TrackLayout layout;
  layout.rebuild(*sketch.trace, Arrangement::defaults(*sketch.trace), LayoutMeasures{});
  CHECK(layout.hit(-1, 0).kind == LayoutHit::Kind::nothing);
  CHECK(layout.hit(0, 0).kind == LayoutHit::Kind::group);
  CHECK(layout.hit(27.9, 0).kind == LayoutHit::Kind::group);
  CHECK(layout.hit(28, 0).kind == LayoutHit::Kind::track);
  CHECK(layout.hit(32, 0).kind == LayoutHit::Kind::lane);
  CHECK(layout.hit(32, 0).row == 1);
  CHECK(layout.hit(60, 0).kind == LayoutHit::Kind::counter);
  CHECK(layout.hit(105, 0).kind == LayoutHit::Kind::instants);
  CHECK(layout.hit(100 + 13 + 18, 0).row == 3);
  CHECK(layout.hit(100 + 13 + 53.9, 0).row == 4);
  CHECK(layout.hit(100 + 13 + 54, 0).kind == LayoutHit::Kind::track);
  CHECK(layout.hit(layout.height_px(), 0).kind == LayoutHit::Kind::nothing);
}

TEST_CASE("a folded group hides its tracks, a folded track all lanes but the first") {
  const TraceSketch sketch = small_sketch();
  Arrangement folds = Arrangement::defaults(*sketch.trace);
  TrackLayout layout;
  folds.tracks[3].fold = TrackFold::folded;
  layout.rebuild(*sketch.trace, folds, LayoutMeasures{});
  CHECK(layout.items()[3].lanes_shown == 1);
  CHECK(layout.items()[3].lanes_hidden == 2);
  CHECK(layout.place_of(RowId{2}).item != nullptr);
  CHECK(layout.place_of(RowId{3}).item == nullptr);
  folds.group_open[1] = 0;
  layout.rebuild(*sketch.trace, folds, LayoutMeasures{});
  CHECK(layout.items().size() == 2);
  CHECK(layout.item_of(3) == nullptr);
}

TEST_CASE("deep tracks are capped until they are opened, unless few lanes are above the cap") {
  TraceSketch sketch;
  sketch.process("1");
  sketch.track(300);
  sketch.track(45);
  Arrangement folds = Arrangement::defaults(*sketch.trace);
  TrackLayout layout;
  layout.rebuild(*sketch.trace, folds, LayoutMeasures{});
  CHECK(layout.items()[1].lanes_shown == 40);
  CHECK(layout.items()[1].lanes_hidden == 260);
  CHECK(layout.items()[2].lanes_shown == 45);
  folds.tracks[0].fold = TrackFold::open;
  layout.rebuild(*sketch.trace, folds, LayoutMeasures{});
  CHECK(layout.items()[1].lanes_shown == 300);
}

TEST_CASE("revealing a lane opens only the folds that hide it") {
  TraceSketch sketch;
  sketch.process("1");
  sketch.track(300);
  Arrangement folds = Arrangement::defaults(*sketch.trace);
  const LayoutMeasures measures;
  CHECK_FALSE(reveal(folds, *sketch.trace, RowId{39}, measures));
  folds.group_open[0] = 0;
  folds.tracks[0].fold = TrackFold::folded;
  CHECK(reveal(folds, *sketch.trace, RowId{5}, measures));
  CHECK(folds.group_open[0] == 1);
  CHECK(folds.tracks[0].fold == TrackFold::capped);
  CHECK(reveal(folds, *sketch.trace, RowId{299}, measures));
  CHECK(folds.tracks[0].fold == TrackFold::open);
}

TEST_CASE("the visible lanes are exactly those that overlap the window (brute force)") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    TraceSketch sketch;
    for (int p = 0; p < 3; ++p) {
      sketch.process(p == 0 ? "Traces" : "1");
      const auto tracks = random() % 5;
      for (std::uint32_t t = 0; t < tracks; ++t) {
        if (random() % 4 == 0) {
          sketch.track(0, 0, TrackKind::counter);
        } else {
          sketch.track(random() % 70, random() % 2);
        }
      }
    }
    Arrangement folds = Arrangement::defaults(*sketch.trace);
    for (TrackStyle& style : folds.tracks) style.fold = static_cast<TrackFold>(random() % 3);
    TrackLayout layout;
    layout.rebuild(*sketch.trace, folds, LayoutMeasures{});
    std::vector<LaneDraw> lanes;
    const double scroll = random() % 2000;
    const double height = 1 + random() % 900;
    layout.visible_lanes(scroll, height, lanes);
    std::vector<LaneDraw> all;
    layout.visible_lanes(0, layout.height_px(), all);
    std::size_t slices = 0;
    std::size_t found = 0;
    for (const LaneDraw& lane : all) {
      if (lane.kind != LaneDraw::Kind::slices) continue;
      const double pitch_bottom = lane.top_px + layout.measures().lane_px;
      if (pitch_bottom > scroll && lane.top_px < scroll + height) ++slices;
      CHECK(layout.place_of(RowId{lane.index}).top_px == lane.top_px);
    }
    for (const LaneDraw& lane : lanes) {
      if (lane.kind != LaneDraw::Kind::slices) continue;
      ++found;
      const double middle = lane.top_px + scroll + lane.height_px / 2;
      CHECK(layout.hit(middle, 0).row == lane.index);
    }
    CHECK(found == slices);
  }
}

TEST_CASE("an empty trace has an empty layout") {
  const Trace trace;
  TrackLayout layout;
  layout.rebuild(trace, Arrangement::defaults(trace), LayoutMeasures{});
  CHECK(layout.height_px() == 0);
  CHECK(layout.hit(0, 0).kind == LayoutHit::Kind::nothing);
  std::vector<LaneDraw> lanes;
  layout.visible_lanes(0, 500, lanes);
  CHECK(lanes.empty());
}

TEST_CASE("the outermost of many merged lanes are shown, and the others are counted as hidden") {
  TraceSketch sketch;
  sketch.process("7");
  sketch.track(5000);
  sketch.track(20);
  Arrangement arrangement = Arrangement::defaults(*sketch.trace);
  for (TrackStyle& style : arrangement.tracks) style.fold = TrackFold::merged;
  TrackLayout layout;
  layout.rebuild(*sketch.trace, arrangement, LayoutMeasures{});
  std::vector<LaneDraw> lanes;
  layout.visible_lanes(0, 500, lanes);
  CHECK(lanes.size() == 1000 + 20);
  CHECK(lanes[999].index == 999);
  CHECK(layout.items()[1].lanes_hidden == 4000);
  CHECK(layout.items()[2].lanes_hidden == 0);
}

TEST_CASE("a rebuilt layout equals a new one, whatever has changed in between") {
  const TraceSketch sketch = small_sketch();
  auto part = std::make_shared<CounterTracks>();
  part->tracks.resize(1);
  part->tracks[0].kind = TrackKind::counter;
  part->tracks[0].process = 1;
  part->kinds = {DerivedCounter::utilization};
  part->places = {{1, false}};
  const DerivedCounters counters{static_cast<std::uint32_t>(sketch.trace->tracks.size()), {part}};
  const ShownRows rows(*sketch.trace, nullptr, &counters);
  Arrangement arrangement = Arrangement::defaults(*sketch.trace);
  arrangement.add_tracks(rows);
  TrackLayout again;
  std::size_t most = 0;
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const auto track = static_cast<std::uint32_t>(random() % 4);
    if (random() % 3 == 0)
      arrangement.move_track(track, static_cast<std::uint32_t>(random() % 4), *sketch.trace);
    if (random() % 3 == 0) arrangement.set_hidden(track, random() % 2 == 0);
    if (random() % 4 == 0) arrangement.group_open[random() % 2] ^= 1U;
    if (random() % 5 == 0) arrangement.toggle_pinned(track);
    if (random() % 5 == 0) arrangement.counters = !arrangement.counters;
    again.rebuild(rows, arrangement, LayoutMeasures{});
    TrackLayout fresh;
    fresh.rebuild(rows, arrangement, LayoutMeasures{});
    most = std::max(most, fresh.items().size());
    REQUIRE(again.items().size() == fresh.items().size());
    for (std::size_t k = 0; k < fresh.items().size(); ++k) {
      CHECK(again.items()[k].kind == fresh.items()[k].kind);
      CHECK(again.items()[k].index == fresh.items()[k].index);
      CHECK(again.items()[k].top_px == fresh.items()[k].top_px);
      CHECK(again.items()[k].hidden == fresh.items()[k].hidden);
    }
  }
  CHECK(most == 7);  // two groups, four tracks and the counter
}

TEST_CASE("only chosen rows are shown, and tracks without one are omitted unless they are pinned") {
  TraceSketch sketch;
  sketch.process("7");
  sketch.track(1);
  sketch.track(0, 0, TrackKind::counter);
  sketch.track(3, 5);
  sketch.process("8");
  sketch.track(2);
  const ShownRows rows(*sketch.trace);
  Arrangement arrangement = Arrangement::defaults(*sketch.trace);
  const std::vector<std::uint8_t> marked{0, 0, 1, 1, 0, 0};  // lanes 1 and 2 of the third track
  TrackLayout layout;
  layout.rebuild(rows, arrangement, LayoutMeasures{}, 1e9, {&marked, kNoSlice});
  REQUIRE(layout.items().size() == 2);  // the track and its group
  CHECK(layout.items()[0].hidden == 2);
  const LayoutItem& track = layout.items()[1];
  CHECK(track.index == 2);
  CHECK(track.lanes_shown == 2);
  CHECK(track.lanes_hidden == 0);
  CHECK(layout.group_item(1) == nullptr);
  CHECK(layout.place_of(RowId{1}).item == nullptr);
  CHECK(layout.place_of(RowId{2}).top_px == track.top_px + track.lanes_top_px);
  CHECK(layout.place_of(RowId{3}).top_px == track.top_px + track.lanes_top_px + track.lane_px);
  CHECK(layout.hit(layout.place_of(RowId{3}).top_px + 1, {}).row == 3);
  std::vector<LaneDraw> lanes;
  layout.visible_lanes({}, 1000, lanes);
  std::vector<std::uint32_t> drawn;
  for (const LaneDraw& lane : lanes) {
    if (lane.kind == LaneDraw::Kind::slices) drawn.push_back(lane.index);
  }
  CHECK(drawn == std::vector<std::uint32_t>{2, 3});

  arrangement.tracks[2].fold = TrackFold::folded;
  layout.rebuild(rows, arrangement, LayoutMeasures{}, 1e9, {&marked, kNoSlice});
  CHECK(layout.items()[1].lanes_shown == 1);
  CHECK(layout.items()[1].lanes_hidden == 1);
  CHECK(layout.place_of(RowId{2}).item != nullptr);

  arrangement.toggle_pinned(0);
  layout.rebuild(rows, arrangement, LayoutMeasures{}, 1e9, {&marked, kNoSlice});
  CHECK(layout.items()[0].pinned);

  layout.rebuild(rows, arrangement, LayoutMeasures{});
  CHECK(layout.item_of(2)->lanes_hidden == 2);
  CHECK(layout.group_item(1) != nullptr);
}

namespace {

/// A stream, and a thread with a step, a Python function, and an operator that launches.
std::shared_ptr<const Trace> trace_of_a_step() {
  EventFixture events;
  events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 1000, "1");
  events.slice(TrackClass::cpu, "python_function", "train.py(1): step", 10, 900, "1");
  events.op("aten::mm", 20, 800).launch(30, 10, 1).kernel("gemm", 50, 900, 1);
  return events.build();
}

/// Heights of the lanes in a window that is `room_px` high, from top to bottom.
std::vector<float> heights(const Trace& trace, const Arrangement& arrangement, float room_px) {
  TrackLayout layout;
  layout.rebuild(trace, arrangement, LayoutMeasures::scaled(1, room_px));
  std::vector<LaneDraw> lanes;
  layout.visible_lanes(0, layout.height_px(), lanes);
  std::vector<float> px;
  px.reserve(lanes.size());
  for (const LaneDraw& lane : lanes) px.push_back(lane.height_px);
  return px;
}

}  // namespace

TEST_CASE("annotations and Python functions have low lanes, and positions in them are resolved") {
  const auto trace = trace_of_a_step();
  const Arrangement arrangement = Arrangement::defaults(*trace);
  CHECK(heights(*trace, arrangement, 0) == std::vector<float>{18, 12, 13, 18, 18});
  TrackLayout layout;
  layout.rebuild(*trace, arrangement, LayoutMeasures{});
  const LayoutItem& thread = layout.items()[3];
  CHECK(thread.height_px == 4 + 12 + 13 + 18 + 18 + 4);
  const std::uint32_t row = trace->tracks[thread.index].first_row;
  const double top = thread.top_px + 4;
  CHECK(layout.hit(top, 0).row == row);
  CHECK(layout.hit(top + 11.9, 0).row == row);
  CHECK(layout.hit(top + 12, 0).row == row + 1);
  CHECK(layout.hit(top + 25, 0).row == row + 2);
  CHECK(layout.hit(top + 60.9, 0).row == row + 3);
  CHECK(layout.hit(top + 61, 0).kind == LayoutHit::Kind::track);
  CHECK(layout.place_of(RowId{row + 2}).top_px == top + 25);
  CHECK(layout.place_of(RowId{row + 2}).height_px == 18);
  std::vector<LaneDraw> lanes;
  layout.visible_lanes(top + 12, 13, lanes);
  REQUIRE(lanes.size() == 1);
  CHECK(lanes[0].index == row + 1);
}

TEST_CASE("lanes share the free height if everything fits: kernels three parts, operators one") {
  const auto trace = trace_of_a_step();
  const Arrangement arrangement = Arrangement::defaults(*trace);
  // Two groups of 28 px, and 8 px around the lanes of each track.
  const float fixed = 2 * 28 + 2 * 8 + 12 + 13;
  CHECK(heights(*trace, arrangement, fixed + 3 * 20 + 2 * 20) == std::vector<float>{60, 12, 13, 20, 20});
  CHECK(heights(*trace, arrangement, 640) == std::vector<float>{66, 12, 13, 29, 29});
  CHECK(heights(*trace, arrangement, 1100) == std::vector<float>{96, 12, 13, 30, 30});
  for (float room = 1; room < 700; ++room) {
    TrackLayout layout;
    layout.rebuild(*trace, arrangement, LayoutMeasures::scaled(1, room));
    const std::vector<float> now = heights(*trace, arrangement, room);
    CAPTURE(room);
    const bool fits = layout.height_px() <= room;
    CHECK(now[0] >= 18);
    CHECK(now[3] >= (fits ? 16 : 18));
    CHECK(now[3] <= 29);
    if (!fits) CHECK(now[3] == 18);
  }
}

TEST_CASE("the user's choice of a height has priority over the free height") {
  const auto trace = trace_of_a_step();
  Arrangement arrangement = Arrangement::defaults(*trace);
  const std::vector<float> before = heights(*trace, arrangement, 640);
  for (TrackStyle& style : arrangement.tracks) style.height = TrackHeight::compact;
  CHECK(heights(*trace, arrangement, 640) == std::vector<float>{8, 8, 8, 8, 8});
  for (TrackStyle& style : arrangement.tracks) style.height = TrackHeight::expanded;
  const std::vector<float> taller = heights(*trace, arrangement, 640);
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(taller[i] > before[i]);
}

namespace {

/// A stream with a step, an annotation of two kernels and one of a single kernel, and a thread.
std::shared_ptr<const Trace> annotated_stream() {
  EventFixture events;
  events.launch(0, 1, 1).launch(2, 1, 2).launch(4, 1, 3);
  events.kernel("a", 10, 10, 1).kernel("b", 30, 10, 2).kernel("nccl", 50, 10, 3);
  const auto annotate = [&](const char* name, std::int64_t start, std::int64_t length) {
    events.slice(TrackClass::gpu_annotation, "gpu_user_annotation", name, start, length, "7");
  };
  annotate("ProfilerStep#1", 10, 50);
  annotate("forward", 10, 30);
  annotate("nccl:all_reduce", 50, 10);
  return events.build();
}

SliceId slice_with_name(const Trace& trace, std::string_view name) {
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.name_of(SliceId{i}) == name) return SliceId{i};
  }
  return kNoSlice;
}

}  // namespace

TEST_CASE("annotations are above their stream, and rows if the user wants rows, pins them, or searches") {
  const auto trace = annotated_stream();
  const StreamAnnotations found = stream_annotations(*trace);
  REQUIRE(found.streams.size() == 1);
  const std::uint32_t stream = found.streams.front().stream;
  const std::uint32_t annotations = found.streams.front().annotations;
  const ShownRows rows(*trace, nullptr, nullptr, &found);
  Arrangement arrangement = Arrangement::defaults(*trace);
  const LayoutMeasures measures;
  TrackLayout layout;
  layout.rebuild(rows, arrangement, measures);
  CHECK(layout.above_stream(annotations));
  CHECK(layout.item_of(annotations) == nullptr);
  const LayoutItem* item = layout.item_of(stream);
  REQUIRE(item != nullptr);
  CHECK(item->brackets == 1);
  CHECK(item->lanes_top_px == 4 + 12 + 1);
  CHECK(layout.group_item(trace->tracks[stream].process)->count == 1);
  const LayoutHit hit = layout.hit(item->top_px + 5, 0);
  CHECK(hit.kind == LayoutHit::Kind::bracket);
  CHECK(hit.row == 0);
  CHECK(layout.hit(item->top_px + 18, 0).kind == LayoutHit::Kind::lane);
  const LanePlace forward = layout.place_of(slice_with_name(*trace, "forward"));
  CHECK(forward.item == item);
  CHECK(forward.top_px == item->top_px + 4);
  CHECK(forward.height_px == 12);
  CHECK(layout.place_of(slice_with_name(*trace, "nccl:all_reduce")).item == nullptr);
  CHECK(layout.place_of(slice_with_name(*trace, "nccl")).item == item);

  const std::vector<std::uint8_t> all(trace->rows.size(), 1);
  layout.rebuild(rows, arrangement, measures, 1e9, {&all, kNoSlice});
  CHECK(layout.item_of(annotations) != nullptr);
  arrangement.annotation_rows = true;
  layout.rebuild(rows, arrangement, measures);
  CHECK(layout.item_of(annotations) != nullptr);
  CHECK(layout.item_of(stream)->brackets == 0);
  CHECK(layout.place_of(slice_with_name(*trace, "nccl:all_reduce")).item != nullptr);
  arrangement.annotation_rows = false;
  arrangement.toggle_pinned(annotations);
  layout.rebuild(rows, arrangement, measures);
  CHECK(layout.item_of(annotations)->pinned);
  arrangement.toggle_pinned(annotations);
  arrangement.set_hidden(stream, true);
  layout.rebuild(rows, arrangement, measures);
  CHECK(layout.item_of(annotations) != nullptr);  // because their stream is hidden
  arrangement.set_hidden(stream, false);
  arrangement.set_hidden(annotations, true);
  layout.rebuild(rows, arrangement, measures);
  CHECK(layout.item_of(stream)->brackets == 0);
}
