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

/// Which curves, and along which part of a plot's axis.
struct OverlayQuestion {
  std::weak_ptr<const Snapshot> other;  ///< closing it frees it, whatever curves are kept
  std::size_t device = 0;
  std::shared_ptr<const SnapshotSteps> steps;  ///< of it, where they are known already
  PlotGeometry plot;                           ///< of the plot below; its bytes and bands do not count
  std::int64_t units_per_step = 0;             ///< of that plot
};

/// The other one's curves from the same begin: event beside event, time beside time, step beside step.
struct OverlayCurves {
  OverlayQuestion question;
  const SnapshotDevice* device = nullptr;  ///< all that needs it, only while question.other lives
  /// Nothing where it has no such axis: no times, or no steps of the same kind.
  std::optional<SnapshotAxis> axis;
  double scale = 1;                 ///< its units for one of the plot's
  std::vector<EventIndex> moments;  ///< last one per column; kNoMoment: outside its recording
  std::vector<CurveExtent> active;  ///< by column
  std::vector<CurveExtent> reserved;

  /// Memory timelines and recordings of MLX know nothing of segments.
  bool knows_reserved() const { return device->history.curve(MemoryCurve::reserved).peak.bytes > 0; }
  /// Where it is when the plot is at `units`; kNoMoment outside. Only with an axis.
  EventIndex event_at(double units) const { return axis->event_at(units * scale); }
};

/// O(columns * log events), and O(entries) where steps are not known. Incomplete when stopped.
OverlayCurves overlay_curves(OverlayQuestion question, const std::stop_token& stop);

}  // namespace kino
