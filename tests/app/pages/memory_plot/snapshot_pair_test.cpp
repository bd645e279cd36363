// Covers: band_paint, category_legend, overlay_curves, paint_numbers, plot_svg, snapshot_state, snapshot_overlay,
//   byte_link
// Two snapshots side by side: equal scales of bytes, equal stack colors, and overlaid curves.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/memory_plot/band_paint.hpp"
#include "app/pages/memory_plot/category_legend.hpp"
#include "app/pages/memory_plot/overlay_curves.hpp"
#include "app/pages/memory_plot/paint_numbers.hpp"
#include "app/pages/memory_plot/plot_svg.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/pages/snapshot/snapshot_overlay.hpp"
#include "app/ui/view/byte_link.hpp"
#include "core/base/worker_pool.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/random_device.hpp"

namespace {

using kino::ByteLink;
using kino::BytePane;
using kino::ByteView;
using kino::EventIndex;
using kino::MemoryCurve;
using kino::OverlayCurves;
using kino::OverlayParams;
using kino::PaintIndices;
using kino::PlotLayout;
using kino::Snapshot;
using kino::SnapshotAction;
using kino::SnapshotAxisKind;
using kino::SnapshotState;
using kino::StackId;

/// Two scales of bytes, updated like those of two panels, frame by frame.
struct PairOfScales {
  std::array<ByteView, 2> views;
  std::array<double, 2> highest{1000, 4000};
  std::array<PlotLayout, 2> layouts{PlotLayout::stacked, PlotLayout::stacked};
  ByteLink link;
  std::size_t active = 0;

  void frames(int count = 60) {
    for (int i = 0; i < count; ++i) {
      std::optional<std::array<BytePane, 2>> panes;
      if (views[0].high() > 0) {
        panes = std::array{BytePane{&views[0], highest[0], layouts[0]},
                           BytePane{&views[1], highest[1], layouts[1]}};
      }
      link.follow(panes, active);
      for (std::size_t pane = 0; pane < 2; ++pane) {
        views[pane].set_content(std::max(highest[pane], link.highest()));
        views[pane].step(0.1);
      }
    }
  }
  bool same() const { return views[0].low() == views[1].low() && views[0].high() == views[1].high(); }
};

TEST_CASE("two snapshots side by side share the scale of the higher one") {
  PairOfScales pair;
  pair.frames();
  CHECK(pair.link.holds());
  CHECK(pair.same());
  CHECK(pair.views[0].high() == 4000);
  pair.highest[0] = 9000;
  pair.frames();
  CHECK(pair.same());
  CHECK(pair.views[1].high() == 9000);
  pair.highest = {500, 700};
  pair.frames();
  CHECK(pair.same());
  CHECK(pair.views[0].high() == 700);
}

TEST_CASE("zooming, panning and fitting bytes applies to both panes, whichever is active") {
  for (const std::size_t active : {std::size_t{0}, std::size_t{1}}) {
    PairOfScales pair;
    pair.active = active;
    pair.frames();
    for (const std::size_t moved : {std::size_t{0}, std::size_t{1}}) {
      pair.views[moved].zoom_at(0.5, 4);
      pair.frames();
      CHECK(pair.same());
      CHECK(pair.views[0].high() - pair.views[0].low() == doctest::Approx(1000));
      const double low = pair.views[moved].low();
      pair.views[moved].pan(-0.5);
      pair.frames();
      CHECK(pair.same());
      CHECK(pair.views[1 - moved].low() == doctest::Approx(low - 500));
      pair.views[moved].fit();
      pair.frames();
      CHECK(pair.same());
      CHECK(pair.views[1 - moved].fitted());
      CHECK(pair.views[1 - moved].high() == 4000);
    }
  }
}

TEST_CASE("scales are independent if unlinked or if the layouts differ") {
  PairOfScales pair;
  pair.frames();
  pair.link.toggle();
  pair.frames();
  CHECK_FALSE(pair.link.holds());
  CHECK(pair.views[0].high() == 1000);
  CHECK(pair.views[1].high() == 4000);
  pair.views[0].zoom_at(0, 2);
  pair.frames();
  CHECK(pair.views[0].high() == doctest::Approx(500));
  CHECK(pair.views[1].high() == 4000);
  pair.link.toggle();
  pair.frames();
  CHECK(pair.same());
  CHECK(pair.views[1].high() == doctest::Approx(500));
  pair.layouts[1] = PlotLayout::addresses;
  pair.views[1].fit();
  pair.frames();
  CHECK(pair.link.wanted());
  CHECK_FALSE(pair.link.holds());
  CHECK(pair.views[0].high() == doctest::Approx(500));
  CHECK(pair.views[1].high() == 4000);
}

/// Stacks 1, 2 and so on have a C++ and a Python frame each: "c0 a" for line a below c0.
std::shared_ptr<Snapshot> with_stacks(const std::vector<std::pair<std::string, std::string>>& stacks) {
  auto made = std::make_shared<Snapshot>();
  made->streams = {0};
  made->pools = {{}};
  made->notes = {{}};
  std::vector<kino_test::EntryRow> rows;
  for (const auto& [native, python] : stacks) {
    const auto frame = [&](const std::string& name, const std::string& file) {
      return made->stacks.intern(
          kino::SnapshotFrame{made->strings.intern(name), made->strings.intern(file), 7});
    };
    std::vector<kino::FrameId> frames{frame(native, "native.cpp")};
    if (!python.empty()) frames.push_back(frame(python, "/home/me/train.py"));
    const StackId stack = made->stacks.intern(frames);
    rows.push_back({SnapshotAction::alloc, 0x1000 * (rows.size() + 1), 100, 0, stack});
  }
  made->devices.push_back(kino_test::device_of(rows));
  return made;
}

std::vector<std::uint8_t> stack_colors(const Snapshot& own, const Snapshot& model) {
  PaintIndices numbers = kino::paint_indices(own, model, {});
  return kino::band_paint(own, 0, kino::BandColoring::stack, nullptr, nullptr, std::move(numbers), {})
      .of_allocation;
}

TEST_CASE("stacks with equal Python frames have equal colors in both snapshots") {
  const auto first = with_stacks({{"c0", "weights"}, {"c1", "buffers"}, {"c2", "buffers"}, {"c0", "loss"}});
  const auto second = with_stacks({{"c9", "extra"}, {"c0", "loss"}, {"c3", "buffers"}, {"c0", "weights"}});
  const auto left = stack_colors(*first, *first);
  const auto right = stack_colors(*second, *first);
  REQUIRE(left.size() == 4);
  REQUIRE(right.size() == 4);
  CHECK(left[1] == left[2]);
  CHECK(right[1] == left[3]);
  CHECK(right[2] == left[1]);
  CHECK(right[3] == left[0]);
  for (const std::uint8_t color : left) CHECK(right[0] != color);
}

TEST_CASE("stacks without Python match by their most informative C++ frame, as in the comparison") {
  const auto first = with_stacks({{"c0", "weights"}, {"allreduce", ""}});
  const auto second = with_stacks({{"allreduce", ""}, {"other", ""}});
  const auto left = stack_colors(*first, *first);
  const auto right = stack_colors(*second, *first);
  CHECK(right[0] == left[1]);
  CHECK(right[1] != left[0]);
  CHECK(right[1] != left[1]);
}

TEST_CASE("streams, pools and categories of both snapshots have equal colors") {
  auto first = with_stacks({{"c0", "a"}});
  auto second = with_stacks({{"c0", "a"}});
  first->streams = {0, 71, 72};
  second->streams = {0, 72, 99};
  first->pools = {{}, {0, 1}};
  second->pools = {{}, {0, 5}, {0, 1}};
  const PaintIndices numbers = kino::paint_indices(*second, *first, {});
  CHECK(numbers.of_stream == std::vector<std::uint8_t>{0, 2, 3});
  CHECK(numbers.of_pool == std::vector<std::uint8_t>{0, 2, 1});
  kino::AllocationCategories own;
  own.names = {"GRADIENT", "Parameters", "Other"};
  kino::AllocationCategories model;
  model.names = {"Parameters", "Activations", "Other"};
  CHECK(kino::category_indices(own, model) == std::vector<std::uint8_t>{3, 0, 2});
}

TEST_CASE("the legend has the categories that occur, largest at the peak first") {
  Snapshot made;
  made.devices.push_back(kino_test::device_of({{SnapshotAction::alloc, 0x1000, 100, 0},
                                               {SnapshotAction::alloc, 0x2000, 300, 0},
                                               {SnapshotAction::free_completed, 0x1000, 100, 0},
                                               {SnapshotAction::alloc, 0x3000, 500, 0},
                                               {SnapshotAction::free_completed, 0x3000, 500, 0},
                                               {SnapshotAction::alloc, 0x4000, 10, 0}}));
  kino::AllocationCategories categories;
  categories.names = {"Parameters", "Gradients", "Buffers", "Other"};
  categories.of_allocation = {0, 1, 3, 0};
  const auto found = kino::categories_at_peak(made.devices[0], categories, {});
  REQUIRE(found.size() == 3);
  CHECK(found[0].category == 3);
  CHECK(found[0].bytes == 500);
  CHECK(found[1].category == 1);
  CHECK(found[1].bytes == 300);
  CHECK(found[2].category == 0);
  CHECK(found[2].bytes == 0);
}

TEST_CASE("a snapshot alone has the colors of its own indices") {
  const auto alone = with_stacks({{"c0", "a"}, {"c1", "a"}});
  const kino::BandPaint paint =
      kino::band_paint(*alone, 0, kino::BandColoring::stack, nullptr, nullptr, {}, {});
  CHECK(paint.of_allocation.empty());
  CHECK(kino::paint_of(paint.numbers.of_stack, 65) == 1);
}

std::shared_ptr<const Snapshot> random_recording(unsigned seed, std::size_t count) {
  auto made = std::make_shared<Snapshot>();
  made->devices.push_back(kino_test::random_device(seed, count));
  made->streams = {0};
  made->pools = {{}};
  made->notes = {{}};
  return made;
}

OverlayParams question_over(const SnapshotState& state, const std::shared_ptr<const Snapshot>& other) {
  OverlayParams question{other, 0, nullptr, kino::plot_geometry(state), 0};
  if (state.axis().kind() == SnapshotAxisKind::steps) question.units_per_step = state.axis().units_per_step();
  return question;
}

TEST_CASE("overlaid curves align by event, keep their peak, and end with their recording") {
  const auto own = random_recording(4, 400);
  const auto other = random_recording(5, 300);
  SnapshotState state(own);
  state.place(0, 0, 1000, 700);
  const OverlayCurves curves = kino::overlay_curves(question_over(state, other), {});
  REQUIRE(curves.axis);
  const kino::SnapshotDevice& device = other->devices[0];
  const auto& plot = curves.question.plot;
  std::uint64_t highest = 0;
  for (std::uint32_t c = 0; c < plot.columns; ++c) {
    highest = std::max(highest, curves.active[c].highest);
    const double begin = plot.begin_units + c * plot.units_per_column;
    const auto event = static_cast<EventIndex>(std::floor(begin / 1000));
    if (event >= 300 || begin + plot.units_per_column <= -1000) {
      CHECK(curves.moments[c] == kino::kNoMoment);
    } else if (event >= 0 && event < 299) {
      CHECK(curves.active[c].highest >= kino::curve_at(device, MemoryCurve::requested, event));
      CHECK(curves.reserved[c].highest >= kino::curve_at(device, MemoryCurve::reserved, event));
    }
  }
  CHECK(highest == device.history.curve(MemoryCurve::requested).peak.bytes);
  CHECK(curves.event_at(57'500) == 57);
  CHECK(curves.event_at(320'000) == kino::kNoMoment);
}

TEST_CASE("overlaid curves align by time from their begins, and have no axis without times") {
  const auto own = random_recording(4, 400);
  const auto other = random_recording(5, 300);
  SnapshotState state(own);
  state.place(0, 0, 1000, 700);
  state.show_axis(SnapshotAxisKind::time);
  REQUIRE(state.axis().by_time());
  const OverlayCurves curves = kino::overlay_curves(question_over(state, other), {});
  REQUIRE(curves.axis);
  const auto times = other->devices[0].entries.time_us.span();
  const double at = static_cast<double>(times[120] - times[0]) * 1000;
  const EventIndex event = curves.event_at(at);
  CHECK(event >= 120);
  CHECK(times[static_cast<std::size_t>(event)] == times[120]);
  const auto without = with_stacks({{"c0", "a"}, {"c0", "b"}});
  for (std::size_t i = 0; i < 2; ++i) without->devices[0].entries.time_us[i] = kino::SnapshotEntries::kNoTime;
  CHECK_FALSE(kino::overlay_curves(question_over(state, without), {}).axis);
}

TEST_CASE("overlaid curves align by training step, but not with equal parts of a recording") {
  const auto own = random_recording(4, 400);
  const auto other = random_recording(5, 300);
  const auto steps_at = [](std::vector<EventIndex> ends, const std::string& region) {
    auto steps = std::make_shared<kino::SnapshotSteps>();
    steps->ends = std::move(ends);
    steps->region = region;
    return std::shared_ptr<const kino::SnapshotSteps>(steps);
  };
  SnapshotState state(own);
  state.place(0, 0, 1000, 700);
  state.set_steps(steps_at({99, 199, 299}, "step"));
  state.show_axis(SnapshotAxisKind::steps);
  REQUIRE(state.axis().kind() == SnapshotAxisKind::steps);
  OverlayParams question = question_over(state, other);
  question.steps = steps_at({9, 59, 199}, "step");
  const OverlayCurves curves = kino::overlay_curves(question, {});
  REQUIRE(curves.axis);
  const auto step = static_cast<double>(state.axis().units_per_step());
  CHECK(curves.event_at(0) == 0);
  CHECK(curves.event_at(step) == 10);
  CHECK(curves.event_at(1.5 * step) == 35);
  CHECK(curves.event_at(2 * step) == 60);
  question.steps = steps_at({9, 59, 199}, "");
  CHECK_FALSE(kino::overlay_curves(question, {}).axis);
}

TEST_CASE("the SVG contains overlaid curves, with dashed reserved memory") {
  const auto own = random_recording(4, 400);
  const auto other = random_recording(5, 300);
  SnapshotState state(own);
  state.place(0, 0, 300, 400);
  state.bytes.set_content(state.highest_in_sight());
  const OverlayCurves curves = kino::overlay_curves(question_over(state, other), {});
  const kino::PlotRaster plot = kino::plot_raster(*own, curves.question.plot, {});
  kino::PlotSvgStyle look;
  look.band = [](const kino::MemoryCell&) { return 0xff808080U; };
  const std::string without = kino::plot_svg(*own, plot, look);
  const std::string with = kino::plot_svg(*own, plot, look, &curves);
  CHECK(without.find("stroke-dasharray") == std::string::npos);
  CHECK(with.find("stroke-dasharray") != std::string::npos);
  CHECK(with.find("stroke-width=\"2\"") != std::string::npos);
  CHECK(with.size() > without.size() + 1000);
}

TEST_CASE("the overlay cycles through the other snapshots, adjacent pane first, without keeping them alive") {
  const auto own = random_recording(4, 400);
  auto second = std::make_unique<SnapshotState>(random_recording(5, 300));
  const SnapshotState third(random_recording(6, 200));
  const SnapshotState state(own);
  std::vector<kino::OtherSnapshot> others = {{7, "second", second.get(), {}}, {9, "third", &third, {}}};
  kino::WorkerPool pool(1);
  kino::SnapshotOverlay overlay(pool, [] {});
  const auto next = [&] {
    overlay.next(others, 9);
    overlay.update(state, others);
    return overlay.title();
  };
  CHECK(next() == "third");
  CHECK(next() == "second");
  CHECK(next().empty());
  CHECK_FALSE(overlay.wanted());
  CHECK(next() == "third");
  CHECK(next() == "second");
  const std::weak_ptr<const Snapshot> closed = second->snapshot;
  second.reset();
  others.erase(others.begin());
  overlay.update(state, others);
  CHECK(overlay.title() == "third");
  // A running computation keeps it alive until it ends.
  CHECK(kino_test::eventually([&] { return closed.expired(); }));
  others.clear();
  overlay.update(state, others);
  CHECK(overlay.wanted());
  CHECK(overlay.title().empty());
  CHECK_FALSE(overlay.problem(state).empty());
}

}  // namespace
