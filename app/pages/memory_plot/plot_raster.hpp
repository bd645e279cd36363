// Computes the raster of a snapshot's plot for the visible part.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "core/memory/memory_raster.hpp"

namespace kino {

/// The part that a raster covers. A cell is a framebuffer pixel of the view that requested it.
struct PlotGeometry {
  std::size_t device = 0;
  SnapshotAxisKind axis = SnapshotAxisKind::events;
  std::shared_ptr<const SnapshotSteps> steps;  ///< of the device; null unless the axis shows steps
  double begin_units = 0;                      ///< of the axis, at the left edge of column 0
  double units_per_column = 1;
  std::uint32_t columns = 0;
  double low_bytes = 0;
  double bytes_per_row = 1;
  std::uint32_t rows = 0;
  std::shared_ptr<const BandLayout> bands;  ///< of the device; null: stacked

  bool operator==(const PlotGeometry&) const = default;
};

/// The events [first, last] of an interval of an axis; kNoMoment outside of the recording.
struct EventsBetween {
  EventIndex first = kNoMoment;
  EventIndex last = kNoMoment;
};
EventsBetween events_between(const SnapshotAxis& axis, double begin_units, double end_units);

/// Whether a raster has the view's device, axis and bands, although perhaps another part of them.
bool has_same_view(const PlotGeometry& raster, const SnapshotState& state);

/// Returns the current view, with margins on both sides for panning.
PlotGeometry plot_geometry(const SnapshotState& state);
/// Whether the raster's columns match the view, with some margin left.
bool matches_columns(const PlotGeometry& raster, const SnapshotState& state);
/// Whether a raster shows the view at full resolution, with some margin left.
bool serves(const PlotGeometry& raster, const SnapshotState& state);

struct PlotRaster {
  PlotGeometry geometry;
  MemoryRaster raster;
  std::vector<CurveExtent> reserved;  ///< by column
};

/// See memory_raster(). `geometry` belongs to a device of `snapshot`.
PlotRaster plot_raster(const Snapshot& snapshot, const PlotGeometry& geometry, const std::stop_token& stop);

}  // namespace kino
