// The curves of another snapshot along the axis of a snapshot's plot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/pages/memory_plot/plot_raster.hpp"

namespace kino {

/// The other snapshot, and the part of the plot's axis.
struct OverlayParams {
  std::weak_ptr<const Snapshot> other;  ///< weak, so that closing the document frees it
  std::size_t device = 0;
  std::shared_ptr<const SnapshotSteps> steps;  ///< of the other snapshot, if already known
  PlotGeometry plot;                           ///< of the plot below; its bytes and bands are ignored
  std::int64_t units_per_step = 0;             ///< of that plot
};

/// The other snapshot's curves, aligned at the begin: by event, by time, or by step.
struct OverlayCurves {
  OverlayParams question;
  /// valid only while question.other lives, as are functions that use it
  const SnapshotDevice* device = nullptr;
  /// Empty if the other snapshot has no such axis: no times, or no steps of the same kind.
  std::optional<SnapshotAxis> axis;
  double scale = 1;                 ///< units of the other axis per unit of the plot's
  std::vector<EventIndex> moments;  ///< last one per column; kNoMoment outside of its recording
  std::vector<CurveExtent> active;  ///< by column
  std::vector<CurveExtent> reserved;

  /// Memory timelines and recordings of MLX contain no segments.
  bool knows_reserved() const { return device->history.curve(MemoryCurve::reserved).peak.bytes > 0; }
  /// Returns the other snapshot's event at the plot's position; kNoMoment outside. Requires an axis.
  EventIndex event_at(double units) const { return axis->event_at(units * scale); }
};

/// O(columns * log events), plus O(entries) if steps are not known.
OverlayCurves overlay_curves(OverlayParams question, const std::stop_token& stop);

}  // namespace kino
