#include "app/pages/memory_plot/snapshot_state.hpp"

#include <algorithm>
#include <cmath>

#include "app/pages/memory_plot/what_if_line.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "core/memory/segment_treemap.hpp"
#include "core/memory/tables/snapshot_verdict.hpp"

namespace kino {
namespace {

constexpr float kBarPx = 34;
constexpr float kAnnotationPx = 20;
constexpr float kRunRowPx = 18;
constexpr float kBytesPx = 84;
constexpr float kMinPlotPx = 120;
constexpr double kHeadroom = 1.06;
// If reserved memory exceeds active memory by more than this factor, it does not determine the scale, because
// it would flatten the plot.
constexpr double kMostReserved = 1.6;

std::int64_t whole(double units) { return static_cast<std::int64_t>(std::clamp(units, -9e18, 9e18)); }

}  // namespace

double highest_of_curves(const SnapshotDevice& device, EventIndex first, EventIndex last) {
  const auto highest = [&](MemoryCurve which) {
    return static_cast<double>(curve_over(device, which, first, last).highest);
  };
  const double active = highest(MemoryCurve::requested);
  const double reserved = highest(MemoryCurve::reserved);
  return kHeadroom * (active > 0 && reserved > kMostReserved * active ? active : std::max(active, reserved));
}

SnapshotState::SnapshotState(std::shared_ptr<const Snapshot> shown) : snapshot(std::move(shown)) {
  if (any()) show_device(device_of_largest_peak(*snapshot));
}

float SnapshotState::px(float units) const { return std::round(units * scale); }

float SnapshotState::y_of(double value) const {
  return boxes.plot.bottom - static_cast<float>(bytes.px_from_bytes(value, boxes.plot.height()));
}

float SnapshotState::own_left() const { return boxes.all.left + px(kBytesPx); }

void SnapshotState::show_device(std::size_t index) {
  device_ = index;
  only_segments_ = has_only_segments(device());
  steps_ = nullptr;
  axis_.emplace(device(), wanted_axis_);
  const double width = navigation.view().width_px;
  navigation = Navigation(axis_->content());
  if (width > 1) navigation.set_width(width);
  bytes = {};
  bands = nullptr;
  filter = nullptr;
  cursor = peak().event;
  annotation_rows = 0;
  baseline = kNoMoment;
  selected = hovered = kNoAllocation;
  hovered_moment = kNoMoment;
  focused_.reset();
}

void SnapshotState::set_steps(const std::shared_ptr<const SnapshotSteps>& steps) {
  if (steps_ == steps) return;
  steps_ = steps;
  show_axis(wanted_axis_);
}

SnapshotAxisKind SnapshotState::next_axis() const {
  auto next = static_cast<std::size_t>(axis_->kind());
  do {
    next = (next + 1) % kSnapshotAxisKinds;
  } while (!SnapshotAxis::can_show(device(), static_cast<SnapshotAxisKind>(next), steps()));
  return static_cast<SnapshotAxisKind>(next);
}

void SnapshotState::show_axis(SnapshotAxisKind wanted) {
  wanted_axis_ = wanted;
  const SnapshotAxis before = *axis_;
  axis_.emplace(device(), wanted, steps_);
  if (axis_->kind() == before.kind()) return;
  const TimeView view = navigation.target();
  const auto moved = [&](double units) {
    const TimeRange all = before.content();
    const double inside = std::clamp(units, static_cast<double>(all.begin_ns),
                                     std::nextafter(static_cast<double>(all.end_ns), -1e300));
    return axis_->begin_of(before.event_at(inside));
  };
  const bool all = view.begin_ns <= static_cast<double>(before.content().begin_ns) &&
                   view.end_ns() >= static_cast<double>(before.content().end_ns);
  const TimeRange range{whole(moved(view.begin_ns)), whole(moved(view.end_ns()))};
  navigation = Navigation(axis_->content());
  // The previous view is restored only if the plot has a width. Otherwise, everything is shown.
  if (view.width_px > 1) {
    navigation.set_width(view.width_px);
    if (!all) navigation.show(range);
  }
  focused_.reset();
}

void SnapshotState::show_layout(PlotLayout wanted) {
  layout = wanted;
  bytes.fit();
}

void SnapshotState::fit_all() {
  navigation.fit_all();
  bytes.fit();
  focused_.reset();
}

void SnapshotState::fit_selection() {
  bytes.fit();
  if (selected == kNoAllocation || (focused_ && *focused_ == navigation.target())) {
    fit_all();
    return;
  }
  const auto i = static_cast<std::uint32_t>(selected);
  const Allocations& allocations = history().allocations;
  const TimeRange life{whole(axis_->begin_of(allocations.begin[i])),
                       whole(axis_->begin_of(allocations.end[i]))};
  navigation.fit(life, 0.2);
  focused_ = navigation.target();
}

void SnapshotState::go_to(EventIndex event) {
  cursor = event;
  const TimeView& view = navigation.target();
  const double x = view.px_from_ns(axis_->begin_of(event));
  if (x < 0 || x >= view.width_px) navigation.pan_px(x - view.width_px / 2);
}

void SnapshotState::select(AllocationId allocation) {
  selected = allocation;
  // The drawer keeps its page while the inspector shows the allocation.
  if (allocation != kNoAllocation && inspector_px == 0) drawer.page = drawer_page::kSelection;
}

void SnapshotState::toggle_baseline() {
  baseline = baseline == cursor ? kNoMoment : cursor;
  drawer.show(drawer_page::kLive);
}

void SnapshotState::place(float left, float top, float width, float height) {
  Box& all = boxes.all;
  all = {std::floor(left), std::floor(top), std::floor(left + width), std::floor(top + height)};
  const float verdict_bottom = all.top + std::min(verdict_px, all.height());
  const float bar_bottom = verdict_bottom + px(kBarPx);
  const float ruler_bottom = bar_bottom + px(kRulerPx);
  const float edge = std::max(all.left + 1, all.right - inspector_px);
  float middle = std::min(own_left(), edge - 1);
  float right = edge;
  if (linked_time_edges && linked_time_edges->right - linked_time_edges->left >= px(kMinPlotPx)) {
    middle = std::clamp(linked_time_edges->left, middle, edge - 1);
    right = std::clamp(linked_time_edges->right, middle + 1, edge);
  }
  const float run_bottom = ruler_bottom + static_cast<float>(trace_rows) * px(kRunRowPx);
  const float lane_bottom = run_bottom + static_cast<float>(annotation_rows) * px(kAnnotationPx);
  const float most = std::max(0.0F, all.bottom - lane_bottom - px(kMinPlotPx));
  const float drawer_px =
      drawer.fills()
          ? 0
          : drawer.height(
                std::min(std::max(drawer.wanted_height(all.height(), scale), px(kMinDrawerPx)), most),
                px(kDrawerBarPx), most);
  const float bottom = all.bottom - drawer_px;
  boxes.verdict = {all.left, all.top, all.right, verdict_bottom};
  boxes.bar = {all.left, verdict_bottom, edge, bar_bottom};
  boxes.inspector = {edge, verdict_bottom, all.right, all.bottom};
  boxes.corner = {all.left, bar_bottom, middle, ruler_bottom};
  boxes.ruler = {middle, bar_bottom, right, ruler_bottom};
  boxes.run = {middle, ruler_bottom, right, run_bottom};
  boxes.lane = {middle, run_bottom, right, lane_bottom};
  const float plot_bottom = std::max(lane_bottom, bottom - legend_px);
  boxes.bytes = {all.left, lane_bottom, middle, plot_bottom};
  boxes.plot = {middle, lane_bottom, right, plot_bottom};
  boxes.legend = {all.left, plot_bottom, edge, bottom};
  boxes.drawer = {all.left, bottom, edge, all.bottom};
  navigation.set_width(boxes.plot.width());
  if (!drawer.fills()) return;
  move_out_of_sight({&boxes.corner, &boxes.ruler, &boxes.run, &boxes.lane, &boxes.bytes, &boxes.plot,
                     &boxes.legend, &boxes.inspector});
  boxes.drawer = {all.left, bar_bottom, all.right, all.bottom};
}

double SnapshotState::highest_in_sight() const {
  if (bands != nullptr && bands->kind != PlotLayout::stacked)
    return static_cast<double>(std::max<std::uint64_t>(bands->height, 1));
  const TimeView& view = navigation.target();
  const TimeRange all = axis_->content();
  const auto inside = [&](double units) {
    const auto end = static_cast<double>(all.end_ns);
    return axis_->event_at(std::clamp(units, static_cast<double>(all.begin_ns), std::nextafter(end, -1e300)));
  };
  const EventIndex first = inside(view.begin_ns);
  const EventIndex last = inside(view.end_ns());
  if (filtered()) {
    const CurveExtent extent = shown_over(device(), bands.get(), first, last);
    return kHeadroom * static_cast<double>(std::max<std::uint64_t>(extent.highest, 1));
  }
  const double highest = highest_of_curves(device(), first, last);
  if (what_if == nullptr || what_if->device != device_) return highest;
  return std::max(highest, kHeadroom * static_cast<double>(what_if->highest(first, last)));
}

}  // namespace kino
