// What is shown of an allocator snapshot and where: device, axis, cameras, cursor, selection, places.
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
  Box bar;     ///< devices and figures
  Box corner;  ///< left of the ruler
  Box ruler;
  Box run;    ///< of the trace of the same run; without height when there is none
  Box lane;   ///< of annotations; without height when there are none
  Box bytes;  ///< the ruler left of the plot
  Box plot;
  Box drawer;
};

/// Where times begin and end on screen.
struct TimeEdges {
  float left = 0;
  float right = 0;
};

/// What a scale of bytes has to fit to show both curves of these events, with some room above.
double highest_of_curves(const SnapshotDevice& device, EventIndex first, EventIndex last);

/// Without ImGui and OpenGL: input changes it, drawing reads it. UI thread only.
class SnapshotState {
 public:
  explicit SnapshotState(std::shared_ptr<const Snapshot> shown);

  std::shared_ptr<const Snapshot> snapshot;
  Navigation navigation;
  ByteView bytes;
  SnapshotBoxes boxes;
  float scale = 1;              ///< ImGui units per unit at 96 dpi
  float framebuffer_scale = 1;  ///< framebuffer px per ImGui unit
  float drawer_height = 270;    ///< at scale 1
  DrawerChoice drawer{.open = true, .page = drawer_page::kLive};
  std::uint32_t run_rows = 0;  ///< of the trace of the same run, above those
  /// Of a linked panel above or below, so that the same x is the same time.
  std::optional<TimeEdges> times_beside;
  /// What the trace of the same run tells of the moment of an event, in a few words; may be empty.
  std::function<std::string(EventIndex)> run_text;
  /// The device, as the trace of the same run tells: 0 and empty where there is none.
  std::uint64_t device_bytes = 0;
  std::string device_model;
  std::uint32_t annotation_rows = 0;        ///< of the lane above the plot
  bool only_hits = false;                   ///< whether a search is to filter the plot
  PlotLayout layout = PlotLayout::stacked;  ///< what is wanted
  /// Of a search, while the plot shows nothing else; null: all.
  std::shared_ptr<const SnapshotHits> filter;
  std::shared_ptr<const BandLayout> bands;     ///< what there is of it, of the device; null: stacked
  std::shared_ptr<const WhatIfCurve> what_if;  ///< of another setting, to be drawn; null: none
  EventIndex cursor = kBeforeRecording;        ///< whose live set is listed; at first the peak
  EventIndex baseline = kNoMoment;             ///< what the live set is compared with
  AllocationId selected = kNoAllocation;
  AllocationId hovered = kNoAllocation;
  EventIndex hovered_moment = kNoMoment;  ///< of the column under the mouse

  /// False for a file without devices: nothing else may be asked then.
  bool any() const { return !snapshot->devices.empty(); }
  std::size_t device_index() const { return device_; }
  const SnapshotDevice& device() const { return snapshot->devices[device_]; }
  const AllocationHistory& history() const { return device().history; }
  const SnapshotAxis& axis() const { return *axis_; }
  /// Of the device: without a history there is no plot, but what lay in its segments.
  bool only_segments() const { return only_segments_; }
  bool filtered() const { return bands != nullptr && bands->filtered(); }
  /// Of what the plot shows.
  const CurvePeak& peak() const {
    return filtered() ? bands->shown.peak : history().curve(MemoryCurve::requested).peak;
  }

  /// Shows another device, all of it, with the cursor on its peak.
  void show_device(std::size_t index);
  /// What is wanted, as far as the device and what is known of its steps have it, else events; here, along
  /// another device, and when set_steps() tells. Keeps the events at the edges of the view.
  void show_axis(SnapshotAxisKind wanted);
  SnapshotAxisKind wanted_axis() const { return wanted_axis_; }
  /// The next one that can be shown.
  SnapshotAxisKind next_axis() const;
  /// Of the device that is shown, once they are known. The same ones again change nothing.
  void set_steps(const std::shared_ptr<const SnapshotSteps>& steps);
  /// Null until they are known.
  const SnapshotSteps* steps() const { return steps_.get(); }
  void show_layout(PlotLayout wanted);
  PlotLayout next_layout() const {
    return static_cast<PlotLayout>((static_cast<std::size_t>(layout) + 1) % kPlotLayoutCount);
  }
  void fit_all();
  /// The selected allocation's life; without one, or when that is what is shown, all.
  void fit_selection();
  /// Puts the cursor there and pans to it when it is out of sight.
  void go_to(EventIndex event);
  void select(AllocationId allocation);
  /// Compares what is live with the moment of the cursor from now on; there again, no more.
  void toggle_baseline();

  float px(float units) const;
  /// Where the plot begins when nothing is beside it.
  float own_left() const;
  void place(float left, float top, float width, float height);
  /// The highest value in sight, for ByteView.
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
