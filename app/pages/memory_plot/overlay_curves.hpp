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

/// Input of overlay_curves(): the other snapshot, and the part of the plot's axis to cover.
struct OverlayParams {
  std::weak_ptr<const Snapshot> other;  ///< weak, so that closing its document frees the snapshot
  std::size_t device = 0;
  std::shared_ptr<const SnapshotSteps> steps;  ///< steps of the other snapshot; null: computed if needed
  PlotGeometry plot;                           ///< geometry of the plot; its bytes and bands are ignored
  std::int64_t units_per_step = 0;             ///< units per step on the axis of `plot`
};

/// Curves of the other snapshot, aligned with the start of the plot by event, time or step. Empty if the
/// other snapshot no longer exists.
struct OverlayCurves {
  OverlayParams question;
  /// device of the other snapshot; valid only while question.other exists, as are the functions below
  const SnapshotDevice* device = nullptr;
  /// Axis of the other snapshot; empty if it has no times, or no steps of the same kind.
  std::optional<SnapshotAxis> axis;
  double scale = 1;                 ///< units of the other axis per unit of the plot's
  std::vector<EventIndex> moments;  ///< last event of each column; kNoMoment outside of the recording
  std::vector<CurveExtent> active;  ///< highest and lowest value of each column
  std::vector<CurveExtent> reserved;

  /// Returns whether the reserved memory of the other device is known. Memory timelines and recordings of MLX
  /// contain no segments.
  bool knows_reserved() const { return device->history.curve(MemoryCurve::reserved).peak.bytes > 0; }
  /// Returns the other snapshot's event at a position on the plot's axis; kNoMoment outside of its recording.
  /// Requires `axis`.
  EventIndex event_at(double units) const { return axis->event_at(units * scale); }
};

/// Computes the curves of the other snapshot. O(columns * log events), plus O(entries) if steps are not
/// known.
OverlayCurves overlay_curves(OverlayParams question, const std::stop_token& stop);

}  // namespace kino
