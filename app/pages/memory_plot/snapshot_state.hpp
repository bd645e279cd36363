// The view of an allocator snapshot: device, axis, cameras, cursor, selection, and positions on screen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/pages/memory_plot/snapshot_axis.hpp"
#include "app/ui/view/byte_view.hpp"
#include "app/ui/view/drawer_choice.hpp"
#include "app/ui/view/navigation.hpp"
#include "app/ui/widgets/box.hpp"
#include "core/memory/band_layout.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/tables/snapshot_search.hpp"

namespace kino {

struct WhatIfCurve;

struct SnapshotBoxes {
  Box all;
  Box verdict;  ///< zero height if the page has none
  Box bar;      ///< buttons of the devices, and figures
  Box corner;   ///< left of the ruler
  Box ruler;
  Box run;    ///< lane of the matching trace; empty if there is none
  Box lane;   ///< lane of annotations; empty if there are none
  Box bytes;  ///< the ruler left of the plot
  Box plot;
  Box legend;  ///< below the plot; zero height unless the plot has a legend
  Box drawer;
  Box inspector;  ///< right of the plot and of the drawer; zero width unless it is shown

  /// Returns the area of a picture of the plot: from the bar to the legend, without the verdict and the
  /// inspector, which are drawn later and are wider.
  Box picture() const { return {all.left, bar.top, bar.right, legend.bottom}; }
};

/// Screen positions of the left and right edge of a time axis.
struct TimeEdges {
  float left = 0;
  float right = 0;
};

/// Returns the upper end of a scale of bytes that shows active and reserved memory at these events, with some
/// room above. Ignores reserved memory that is far above active memory.
double highest_of_curves(const SnapshotDevice& device, EventIndex first, EventIndex last);

/// The view of a snapshot. Independent of ImGui and OpenGL: input changes the state, and drawing reads it.
class SnapshotState {
 public:
  explicit SnapshotState(std::shared_ptr<const Snapshot> shown);

  std::shared_ptr<const Snapshot> snapshot;
  Navigation navigation;
  ByteView bytes;
  SnapshotBoxes boxes;
  float scale = 1;              ///< UI scale; 1 = 96 dpi
  float framebuffer_scale = 1;  ///< framebuffer px per ImGui unit
  float verdict_px = 0;         ///< height of the verdict, in ImGui units
  float inspector_px = 0;       ///< width of the panel on the right, in ImGui units; 0 if it is hidden
  float legend_px = 0;          ///< height of the legend, in ImGui units; 0 if there is none
  DrawerChoice drawer{.page = drawer_page::kLive};
  std::uint32_t trace_rows = 0;  ///< rows of the matching trace's lane
  /// Edges of the time axis of a linked panel above or below. The plot takes these edges, so that equal x
  /// means equal time.
  std::optional<TimeEdges> linked_time_edges;
  /// Returns what the matching trace was executing at an event, in a few words or empty. The function may be
  /// null.
  std::function<std::string(EventIndex)> trace_text;
  /// Memory in bytes and model of the device according to the matching trace; 0 and empty if the memory is
  /// unknown. If only the model is unknown, the device's name in the snapshot.
  std::uint64_t device_bytes = 0;
  std::string device_model;
  std::uint32_t annotation_rows = 0;        ///< rows of the lane above the plot
  bool only_hits = false;                   ///< whether the user wants only hits; see `filter`
  PlotLayout layout = PlotLayout::stacked;  ///< the requested layout
  /// Hits of the search that filters the plot; null: no filter.
  std::shared_ptr<const SnapshotHits> filter;
  std::shared_ptr<const BandLayout> bands;     ///< computed layout of the device; null: stacked
  std::shared_ptr<const WhatIfCurve> what_if;  ///< drawn curve of another setting; null: none
  EventIndex cursor = kBeforeRecording;        ///< moment that the live list shows; initially the peak
  EventIndex baseline = kNoMoment;             ///< moment with which the live list is compared
  AllocationId selected = kNoAllocation;
  AllocationId hovered = kNoAllocation;
  EventIndex hovered_moment = kNoMoment;  ///< moment of the column under the mouse

  /// Returns whether the file contains devices. If not, no other function may be called.
  bool any() const { return !snapshot->devices.empty(); }
  std::size_t device_index() const { return device_; }
  const SnapshotDevice& device() const { return snapshot->devices[device_]; }
  const AllocationHistory& history() const { return device().history; }
  const SnapshotAxis& axis() const { return *axis_; }
  /// Returns whether the device has no history, so that its segments are shown instead of a plot.
  bool only_segments() const { return only_segments_; }
  bool filtered() const { return bands != nullptr && bands->filtered(); }
  /// Returns the peak of the shown allocations.
  const CurvePeak& peak() const {
    return filtered() ? bands->shown.peak : history().curve(MemoryCurve::requested).peak;
  }

  /// Shows all of another device, with the cursor at its peak.
  void show_device(std::size_t index);
  /// Shows this axis if the device and its known steps support it, else events. Keeps the events at the edges
  /// of the view. set_steps() and other devices try the same choice again.
  void show_axis(SnapshotAxisKind wanted);
  SnapshotAxisKind wanted_axis() const { return wanted_axis_; }
  /// Returns the next axis that the device supports.
  SnapshotAxisKind next_axis() const;
  /// Sets the steps of the shown device. Does nothing if they are already set.
  void set_steps(const std::shared_ptr<const SnapshotSteps>& steps);
  /// Returns the steps of the shown device; null until they are known.
  const SnapshotSteps* steps() const { return steps_.get(); }
  void show_layout(PlotLayout wanted);
  PlotLayout next_layout() const {
    return static_cast<PlotLayout>((static_cast<std::size_t>(layout) + 1) % kPlotLayoutCount);
  }
  void fit_all();
  /// Fits the view to the selected allocation's lifetime. Shows everything if no allocation is selected, or
  /// if the view is still the one that the last call fitted.
  void fit_selection();
  /// Moves the cursor to an event. Pans to it if it is not visible.
  void go_to(EventIndex event);
  void select(AllocationId allocation);
  /// Makes the cursor's moment the baseline of the live list, or removes the baseline if it already is there.
  /// Opens the live list.
  void toggle_baseline();

  float px(float units) const;
  /// Returns the y on screen of `value` bytes in the plot's current scale.
  float y_of(double value) const;
  /// Returns the left edge that the plot would have without a linked panel.
  float own_left() const;
  void place(float left, float top, float width, float height);
  /// Returns the upper end of the scale for ByteView. This is the highest value in view with some room above,
  /// or the height of all strips if the layout has strips.
  double highest_in_sight() const;

 private:
  std::size_t device_ = 0;
  bool only_segments_ = false;
  SnapshotAxisKind wanted_axis_ = SnapshotAxisKind::events;
  std::shared_ptr<const SnapshotSteps> steps_;
  std::optional<SnapshotAxis> axis_;
  std::optional<TimeView> focused_;
};

}  // namespace kino
