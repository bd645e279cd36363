// Covers: annotation_lane, plot_raster, snapshot_state, step_ticks, event_list, segment_view, byte_view
// The axis and the cameras of a snapshot, without a window.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/memory_plot/annotation_lane.hpp"
#include "app/pages/memory_plot/memory_rulers.hpp"
#include "app/pages/memory_plot/plot_raster.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/pages/memory_plot/step_ticks.hpp"
#include "app/pages/snapshot_drawer/event_list.hpp"
#include "app/pages/snapshot_drawer/segment_view.hpp"
#include "app/ui/view/byte_view.hpp"
#include "core/base/byte_text.hpp"
#include "core/memory/snapshot_text.hpp"
#include "tests/fixtures/random_device.hpp"

namespace {

using kino::EventIndex;
using kino::Snapshot;
using kino::SnapshotAction;
using kino::SnapshotAxis;
using kino::SnapshotAxisKind;
using kino::SnapshotDevice;

std::shared_ptr<const Snapshot> snapshot_of(SnapshotDevice device) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->devices.push_back(std::move(device));
  snapshot->streams = {0};
  snapshot->pools = {{}};
  snapshot->notes = {{}};
  return snapshot;
}

std::shared_ptr<const kino::SnapshotSteps> steps_of(std::vector<EventIndex> ends, EventIndex begin) {
  auto steps = std::make_shared<kino::SnapshotSteps>();
  steps->begin = begin;
  steps->ends = std::move(ends);
  steps->region = "step";
  return steps;
}

void settle(kino::SnapshotState& state) {
  for (int i = 0; i < 200; ++i) {
    state.navigation.step(0.1, {}, 0);
    state.bytes.set_content(state.highest_in_sight());
    state.bytes.step(0.1);
  }
}

TEST_CASE("the axis of events has equal widths and room before the first") {
  const SnapshotDevice device = kino_test::random_device(1, 100);
  const SnapshotAxis axis(device);
  const auto count = static_cast<std::int64_t>(device.entries.entry_count());
  CHECK(axis.content().begin_ns == -1000);
  CHECK(axis.content().end_ns == count * 1000);
  CHECK(axis.event_at(-1000.5) == kino::kNoMoment);
  CHECK(axis.event_at(-1) == kino::kBeforeRecording);
  CHECK(axis.event_at(0) == 0);
  CHECK(axis.event_at(57'999.5) == 57);
  CHECK(axis.event_at(static_cast<double>(count) * 1000) == kino::kNoMoment);
  CHECK(axis.begin_of(57) == 57'000);
}

TEST_CASE("on the axis of time, an event begins at its time and extends to the next") {
  const SnapshotDevice device = kino_test::random_device(2, 200);
  const SnapshotAxis axis(device, SnapshotAxisKind::time);
  REQUIRE(axis.kind() == SnapshotAxisKind::time);
  const auto times = device.entries.time_us.span();
  for (EventIndex event = 0; event < 200; ++event) {
    const auto i = static_cast<std::size_t>(event);
    const double begin = axis.begin_of(event);
    CHECK(begin == static_cast<double>(times[i] - times[0]) * 1000);
    const EventIndex found = axis.event_at(begin);
    CHECK(times[static_cast<std::size_t>(found)] == times[i]);
    CHECK(found >= event);
  }
  CHECK(axis.event_at(-1) == kino::kBeforeRecording);
}

TEST_CASE("a recording without times only has the axis of events") {
  std::vector<kino_test::EntryRow> entries(3, {SnapshotAction::alloc, 0x1000, 8});
  for (auto& entry : entries) entry.time_us = kino::SnapshotEntries::kNoTime;
  const SnapshotDevice device = kino_test::device_of(entries);
  CHECK_FALSE(SnapshotAxis::can_show(device, SnapshotAxisKind::time, nullptr));
  CHECK(SnapshotAxis(device, SnapshotAxisKind::time).kind() == SnapshotAxisKind::events);
}

TEST_CASE("on the axis of steps, all steps have equal widths and every event is found at its begin") {
  const SnapshotDevice device = kino_test::random_device(3, 1000);
  // One step of a single event, one of nearly all events, and events before and after the steps.
  const auto steps = steps_of({99, 100, 130, 950}, 40);
  const SnapshotAxis axis(device, SnapshotAxisKind::steps, steps);
  REQUIRE(axis.kind() == SnapshotAxisKind::steps);
  const auto width = static_cast<double>(axis.units_per_step());
  CHECK(axis.begin_of(40) == 0);
  CHECK(axis.begin_of(100) == width);
  CHECK(axis.begin_of(101) == 2 * width);
  CHECK(axis.begin_of(131) == 3 * width);
  CHECK(axis.begin_of(951) == 4 * width);
  CHECK(axis.event_at(4 * width - 0.5) == 950);
  CHECK(axis.width_of(100) == width);
  double before = axis.begin_of(kino::kBeforeRecording);
  CHECK(before == static_cast<double>(axis.content().begin_ns));
  CHECK(axis.event_at(before) == kino::kBeforeRecording);
  for (EventIndex event = 0; event < 1000; ++event) {
    const double begin = axis.begin_of(event);
    CHECK(begin > before);
    CHECK(axis.event_at(begin) == event);
    CHECK(axis.event_at(std::nextafter(begin, -1e300)) == event - 1);
    before = begin;
  }
  CHECK(axis.begin_of(kino::kNever) == static_cast<double>(axis.content().end_ns));
  CHECK(axis.event_at(static_cast<double>(axis.content().end_ns)) == kino::kNoMoment);
  // Events outside of steps have the average width of events in steps.
  CHECK(axis.begin_of(0) == doctest::Approx(-40.0 * 4 / 911 * width).epsilon(0.001));
  CHECK(static_cast<double>(axis.content().end_ns) ==
        doctest::Approx((4 + 49.0 * 4 / 911) * width).epsilon(0.001));
}

TEST_CASE("events before the first step are at most as wide as a step; a recording may consist of steps") {
  const SnapshotDevice device = kino_test::random_device(3, 1000);
  const SnapshotAxis late(device, SnapshotAxisKind::steps, steps_of({989, 999}, 980));
  const auto width = static_cast<double>(late.units_per_step());
  CHECK(late.begin_of(0) == -width);
  CHECK(late.begin_of(980) == 0);
  CHECK(static_cast<double>(late.content().end_ns) == 2 * width);
  for (EventIndex event = 0; event < 1000; ++event) CHECK(late.event_at(late.begin_of(event)) == event);
  const SnapshotAxis all(device, SnapshotAxisKind::steps, steps_of({499, 999}, 0));
  CHECK(all.begin_of(0) == 0);
  CHECK(all.event_at(-1) == kino::kBeforeRecording);
}

TEST_CASE("the axis of steps requires two known steps") {
  const SnapshotDevice device = kino_test::random_device(3, 100);
  CHECK(SnapshotAxis(device, SnapshotAxisKind::steps).kind() == SnapshotAxisKind::events);
  CHECK(SnapshotAxis(device, SnapshotAxisKind::steps, steps_of({50}, 0)).kind() == SnapshotAxisKind::events);
  const auto snapshot = snapshot_of(kino_test::random_device(3, 100));
  kino::SnapshotState state(snapshot);
  CHECK(state.next_axis() == SnapshotAxisKind::time);
  state.show_axis(SnapshotAxisKind::time);
  CHECK(state.next_axis() == SnapshotAxisKind::events);
  state.set_steps(steps_of({49, 99}, 0));
  CHECK(state.next_axis() == SnapshotAxisKind::steps);
}

TEST_CASE("requested steps are shown once known, also on another device") {
  const auto snapshot = snapshot_of(kino_test::random_device(4, 400));
  kino::SnapshotState state(snapshot);
  state.place(0, 0, 1000, 700);
  state.navigation.show({100'000, 200'000});
  state.show_axis(SnapshotAxisKind::steps);
  CHECK(state.axis().kind() == SnapshotAxisKind::events);
  const auto steps = steps_of({99, 199, 399}, 0);
  state.set_steps(steps);
  CHECK(state.axis().kind() == SnapshotAxisKind::steps);
  CHECK(state.navigation.view().begin_ns == doctest::Approx(state.axis().begin_of(100)));
  CHECK(state.navigation.view().end_ns() == doctest::Approx(state.axis().begin_of(200)));
  const kino::PlotGeometry made = kino::plot_geometry(state);
  CHECK(kino::has_same_view(made, state));
  state.show_device(0);
  CHECK(state.axis().kind() == SnapshotAxisKind::events);
  CHECK_FALSE(kino::has_same_view(made, state));
  state.set_steps(steps);
  CHECK(state.axis().kind() == SnapshotAxisKind::steps);
}

TEST_CASE("a ruler of steps shows thinned names or numbers, and events inside of wide steps") {
  const auto snapshot = std::make_shared<Snapshot>();
  snapshot->devices.push_back(kino_test::random_device(4, 400));
  const SnapshotDevice& device = snapshot->devices[0];
  auto steps = std::make_shared<kino::SnapshotSteps>(*steps_of({99, 199, 299}, 10));
  for (const char* name : {"step 7", "step 8", "step 9"})
    steps->names.push_back(snapshot->strings.intern(name));
  const SnapshotAxis named(device, SnapshotAxisKind::steps, steps);
  const auto all = [&](const SnapshotAxis& axis, double width_px) {
    const kino::TimeRange content = axis.content();
    const auto begin = static_cast<double>(content.begin_ns);
    const auto end = static_cast<double>(content.end_ns);
    return kino::step_ticks(*snapshot, axis, begin, end, (end - begin) / width_px, 64);
  };
  const auto words = [](const std::vector<kino::StepTick>& ticks) {
    std::vector<std::string> texts;
    texts.reserve(ticks.size());
    for (const kino::StepTick& tick : ticks) texts.push_back(tick.text + "|" + tick.brief);
    return texts;
  };
  using Words = std::vector<std::string>;
  CHECK(words(all(named, 500)) == Words{"Before|", "step 7|7", "step 8|8", "step 9|9", "After|"});
  CHECK(words(all(named, 166)) == Words{"Before|", "step 7|7", "step 9|9", "After|"});
  steps = std::make_shared<kino::SnapshotSteps>(*steps_of({199, 399}, 0));
  steps->region = {};
  const SnapshotAxis parts(device, SnapshotAxisKind::steps, steps);
  CHECK(words(all(parts, 300)) == Words{"Part 0|0", "Part 1|1"});
  CHECK(kino::steps_count_text(*steps) == "2 equal parts");
  CHECK(kino::steps_text(*steps) == "No steps are annotated, so these are 2 equal parts of the recording.");
  // 200 events on 320 px: every fiftieth, but not next to the step's own text.
  CHECK(words(all(parts, 650)) ==
        Words{"Part 0|0", "50|", "100|", "150|", "Part 1|1", "250|", "300|", "350|"});
  const auto width = static_cast<double>(parts.units_per_step());
  const auto inside = kino::step_ticks(*snapshot, parts, width / 2, width * 0.75, width / 1280, 64);
  REQUIRE(inside.size() > 1);
  CHECK(inside.front().text == "Part 0");
  CHECK(inside[1].text == "110");
  CHECK(inside.front().end_units == inside[1].begin_units);
}

TEST_CASE("the scale of bytes follows the view until zoomed, and zooms around the mouse") {
  kino::ByteView view;
  view.set_content(1000);
  CHECK(view.high() == 1000);
  view.set_content(2000);
  for (int i = 0; i < 50; ++i) view.step(0.1);
  CHECK(view.high() == 2000);
  const double before = view.low() + (view.high() - view.low()) * 0.25;
  view.zoom_at(0.25, 4);
  for (int i = 0; i < 50; ++i) view.step(0.1);
  CHECK(view.high() - view.low() == doctest::Approx(500));
  CHECK(view.low() + (view.high() - view.low()) * 0.25 == doctest::Approx(before));
  view.set_content(9000);
  for (int i = 0; i < 50; ++i) view.step(0.1);
  CHECK(view.high() - view.low() == doctest::Approx(500));
  view.pan(-100);
  for (int i = 0; i < 50; ++i) view.step(0.1);
  CHECK(view.low() == 0);
  view.fit();
  view.set_content(9000);
  for (int i = 0; i < 50; ++i) view.step(0.1);
  CHECK(view.high() == 9000);
  CHECK_FALSE(view.moving());
}

TEST_CASE("a snapshot opens as a whole, with the cursor on its peak") {
  const auto snapshot = snapshot_of(kino_test::random_device(4, 400));
  kino::SnapshotState state(snapshot);
  state.place(0, 0, 1000, 700);
  settle(state);
  CHECK(state.cursor == state.peak().event);
  CHECK(state.navigation.view().begin_ns <= -1000);
  CHECK(state.navigation.view().end_ns() >= 400'000);
  CHECK(state.bytes.high() >= static_cast<double>(state.peak().bytes));
}

TEST_CASE("changing the axis keeps the events at the edges of the view") {
  const auto snapshot = snapshot_of(kino_test::random_device(4, 400));
  kino::SnapshotState state(snapshot);
  state.place(0, 0, 1000, 700);
  state.navigation.show({100'000, 200'000});
  state.show_axis(SnapshotAxisKind::time);
  REQUIRE(state.axis().kind() == SnapshotAxisKind::time);
  CHECK(state.navigation.view().begin_ns == doctest::Approx(state.axis().begin_of(100)));
  CHECK(state.navigation.view().end_ns() == doctest::Approx(state.axis().begin_of(200)));
}

TEST_CASE("an axis selected before the first layout shows everything") {
  const auto snapshot = snapshot_of(kino_test::random_device(4, 400));
  kino::SnapshotState state(snapshot);
  state.show_axis(SnapshotAxisKind::time);
  state.place(0, 0, 1000, 700);
  REQUIRE(state.axis().kind() == SnapshotAxisKind::time);
  CHECK(state.navigation.view().begin_ns <= static_cast<double>(state.axis().content().begin_ns));
  CHECK(state.navigation.view().end_ns() >= state.axis().begin_of(399));
}

TEST_CASE("the drawer of a snapshot is closed at first, and a view over the plot keeps the bar above it") {
  kino::SnapshotState state(snapshot_of(kino_test::random_device(4, 400)));
  state.place(0, 0, 1000, 1000);
  CHECK(state.boxes.drawer.height() == kino::kDrawerBarPx);
  const float plot = state.boxes.plot.width();
  state.drawer.fill(kino::drawer_page::kLive);
  state.place(0, 0, 1000, 1000);
  CHECK(state.boxes.drawer.top == state.boxes.bar.bottom);
  CHECK(state.boxes.drawer.bottom == 1000);
  CHECK(state.boxes.plot.top > 1000);
  CHECK(state.boxes.plot.width() == plot);
}

TEST_CASE("a selected block opens no page of the drawer where the inspector shows it") {
  kino::SnapshotState state(snapshot_of(kino_test::random_device(4, 400)));
  state.select(kino::AllocationId{0});
  CHECK(state.drawer.page == kino::drawer_page::kSelection);
  state.drawer.page = kino::drawer_page::kLive;
  state.inspector_px = 324;
  state.place(0, 0, 1600, 900);
  state.select(kino::AllocationId{1});
  CHECK(state.drawer.page == kino::drawer_page::kLive);
  CHECK(state.boxes.inspector.left == 1276);
  CHECK(state.boxes.plot.right == 1276);
  CHECK(state.boxes.drawer.right == 1276);
  CHECK(state.boxes.verdict.right == 1600);
}

TEST_CASE("the legend is a strip below the plot, which it does not cover") {
  kino::SnapshotState state(snapshot_of(kino_test::random_device(4, 400)));
  state.place(0, 0, 1000, 700);
  CHECK(state.boxes.legend.height() == 0);
  const float bottom = state.boxes.plot.bottom;
  state.legend_px = 24;
  state.place(0, 0, 1000, 700);
  CHECK(state.boxes.plot.bottom == bottom - 24);
  CHECK(state.boxes.bytes.bottom == bottom - 24);
  CHECK(state.boxes.legend.top == state.boxes.plot.bottom);
  CHECK(state.boxes.legend.bottom == state.boxes.drawer.top);
}

TEST_CASE("a picture has the bar, the plot and the legend, without verdict and inspector") {
  kino::SnapshotState state(snapshot_of(kino_test::random_device(4, 400)));
  state.verdict_px = 66;
  state.inspector_px = 324;
  state.legend_px = 24;
  state.place(0, 0, 1600, 900);
  const kino::Box picture = state.boxes.picture();
  CHECK(picture.top == 66);
  CHECK(picture.right == 1276);
  CHECK(picture.bottom == state.boxes.legend.bottom);
}

TEST_CASE("fitting the selection shows its lifetime, and fitting again shows everything") {
  const auto snapshot = snapshot_of(kino_test::random_device(4, 400));
  kino::SnapshotState state(snapshot);
  state.place(0, 0, 1000, 700);
  const kino::Allocations& of = state.history().allocations;
  std::uint32_t some = 0;
  while (of.begin[some] < 50 || of.end[some] == kino::kNever) ++some;
  state.select(kino::AllocationId{some});
  state.fit_selection();
  const kino::TimeView view = state.navigation.target();
  CHECK(view.begin_ns < of.begin[some] * 1000.0);
  CHECK(view.end_ns() > of.end[some] * 1000.0);
  CHECK(view.end_ns() - view.begin_ns < 2.0 * 1000 * (of.end[some] - of.begin[some]) + 1001);
  state.fit_selection();
  CHECK(state.navigation.target().end_ns() >= 400'000);
}

TEST_CASE("a raster serves its view and margin, but no other zoom or height") {
  const auto snapshot = snapshot_of(kino_test::random_device(4, 400));
  kino::SnapshotState state(snapshot);
  state.place(0, 0, 1000, 700);
  settle(state);
  state.navigation.show({100'000, 200'000});
  const kino::PlotGeometry made = kino::plot_geometry(state);
  CHECK(kino::serves(made, state));
  state.navigation.drag_px(state.navigation.view().width_px * 0.1);
  CHECK(kino::serves(made, state));
  state.navigation.drag_px(state.navigation.view().width_px * 0.1);
  CHECK_FALSE(kino::serves(made, state));
  state.navigation.show({100'000, 200'000});
  CHECK(kino::serves(made, state));
  state.navigation.show({100'000, 210'000});
  CHECK_FALSE(kino::serves(made, state));
  state.navigation.show({100'000, 200'000});
  state.bytes.zoom_at(0, 2);
  state.bytes.step(1);
  CHECK_FALSE(kino::serves(made, state));
}

TEST_CASE("each column of the plot shows its highest moment, so that the peak is visible") {
  const auto snapshot = snapshot_of(kino_test::random_device(5, 3000));
  kino::SnapshotState state(snapshot);
  state.place(0, 0, 400, 600);
  settle(state);
  state.set_steps(steps_of({99, 400, 2000}, 50));
  for (const SnapshotAxisKind kind :
       {SnapshotAxisKind::events, SnapshotAxisKind::time, SnapshotAxisKind::steps}) {
    state.show_axis(kind);
    REQUIRE(state.axis().kind() == kind);
    settle(state);
    const kino::PlotRaster plot = kino::plot_raster(*snapshot, kino::plot_geometry(state), {});
    std::uint64_t highest = 0;
    for (const EventIndex moment : plot.raster.moments) {
      if (moment == kino::kNoMoment) continue;
      highest = std::max(highest, kino::curve_at(state.device(), kino::MemoryCurve::requested, moment));
    }
    CHECK(highest == state.peak().bytes);
    CHECK(std::ranges::count(plot.raster.moments, kino::kNoMoment) > 0);
  }
}

TEST_CASE("regions span the events from start to end and nest; an end without a start is ignored") {
  std::vector<kino_test::EntryRow> entries;
  for (std::int64_t i = 0; i < 10; ++i) entries.push_back({SnapshotAction::alloc, 1000, 8, 100 + 10 * i, {}});
  Snapshot snapshot;
  snapshot.devices.push_back(kino_test::device_of(entries));
  const auto note = [&](std::uint32_t name, std::int64_t time_us, bool start) {
    snapshot.annotations.push_back({name, 0, time_us, start});
  };
  note(7, 90, false);
  note(1, 100, true);
  note(2, 115, true);
  note(2, 145, false);
  note(1, 160, false);
  note(3, 175, true);
  snapshot.annotations.push_back({4, 1, 100, true});  // of another device
  const auto spans = kino::annotation_spans(snapshot, 0, {});
  REQUIRE(spans.size() == 3);
  CHECK(spans[0].name == 1);
  CHECK(spans[0].begin == 1);
  CHECK(spans[0].end == 7);
  CHECK(spans[0].depth == 0);
  CHECK(spans[1].begin == 2);
  CHECK(spans[1].end == 5);
  CHECK(spans[1].depth == 1);
  CHECK(spans[2].end == kino::kNever);
  CHECK(spans[2].depth == 0);
  CHECK(kino::annotation_rows(spans) == 2);
}

TEST_CASE("finds events by action, address and stack, and reports invalid patterns") {
  auto snapshot = std::make_shared<Snapshot>();
  kino::SnapshotFrame frame;
  frame.name = snapshot->strings.intern("forward");
  frame.file = snapshot->strings.intern("train.py");
  const kino::FrameId id = snapshot->stacks.intern(frame);
  const kino::StackId stack = snapshot->stacks.intern(std::span(&id, 1));
  using Action = SnapshotAction;
  snapshot->devices.push_back(
      kino_test::device_of({{Action::alloc, 0x1000, 1, 0, stack},
                            {Action::segment_alloc, 0x2000, 1, 0, kino::kNoStack},
                            {Action::free_completed, 0x1000, 1, 0, kino::kEmptyStack}}));
  const auto found = [&](const char* pattern) { return kino::matching_events(*snapshot, 0, pattern).events; };
  using Events = std::vector<EventIndex>;
  CHECK(found("forward") == Events{0});
  CHECK(found("train") == Events{0});
  CHECK(found("^segment") == Events{1});
  CHECK(found("0x1000") == Events{0, 2});
  CHECK(found("nothing").empty());
  CHECK_FALSE(kino::matching_events(*snapshot, 0, "(").problem.empty());
}

TEST_CASE("maps the segments at an event to the requested rows") {
  const SnapshotDevice device = kino_test::random_device(5, 400);
  for (const EventIndex event : {kino::kBeforeRecording, 0, 200, 399}) {
    const kino::SegmentResult answer = kino::compute_segments(device, {0, event, 500, 12, 1});
    std::uint64_t reserved = 0;
    for (const kino::SegmentGroup& group : answer.map.groups) reserved += group.reserved;
    CHECK(reserved == answer.memory.reserved);
    CHECK(answer.memory.reserved == answer.memory.allocated + answer.memory.pending + answer.memory.free);
    CHECK(answer.memory.stuck_free <= answer.memory.free);
    const kino::SegmentResult zoomed = kino::compute_segments(device, {0, event, 500, 12, 2});
    CHECK(zoomed.map.bytes_per_px == doctest::Approx(answer.map.bytes_per_px / 2));
  }
}

}  // namespace
