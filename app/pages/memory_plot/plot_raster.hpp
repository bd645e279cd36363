// The raster of a snapshot's plot for what the window shows: which part of it, and how it is computed.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "core/memory/memory_raster.hpp"

namespace kino {

/// What a raster covers. A column and a row are a framebuffer pixel of the view that asked for it.
struct PlotGeometry {
  std::size_t device = 0;
  SnapshotAxisKind axis = SnapshotAxisKind::events;
  std::shared_ptr<const SnapshotSteps> steps;  ///< of the device; null unless the axis is along them
  double begin_units = 0;                      ///< of the axis, at the left edge of column 0
  double units_per_column = 1;
  std::uint32_t columns = 0;
  double low_bytes = 0;
  double bytes_per_row = 1;
  std::uint32_t rows = 0;
  std::shared_ptr<const BandLayout> bands;  ///< of the device; null: stacked

  bool operator==(const PlotGeometry&) const = default;
};

/// The events [first, last] of a stretch of an axis; kNoMoment outside of the recording.
struct EventsBetween {
  EventIndex first = kNoMoment;
  EventIndex last = kNoMoment;
};
EventsBetween events_between(const SnapshotAxis& axis, double begin_units, double end_units);

/// Whether a raster is of what is shown, though perhaps of another part of it.
bool shows_same(const PlotGeometry& raster, const SnapshotState& state);

/// The view as it is now, with a margin on both sides that panning can use up.
PlotGeometry plot_geometry(const SnapshotState& state);
/// Whether its columns are those of the view, with some of the margin left.
bool serves_columns(const PlotGeometry& raster, const SnapshotState& state);
/// Whether a raster shows the view as sharp as it can be, with some of the margin left.
bool serves(const PlotGeometry& raster, const SnapshotState& state);

struct PlotRaster {
  PlotGeometry geometry;
  MemoryRaster raster;
  std::vector<CurveExtent> reserved;  ///< by column
};

/// As memory_raster(). `geometry` is of a device of `snapshot`.
PlotRaster plot_raster(const Snapshot& snapshot, const PlotGeometry& geometry, const std::stop_token& stop);

}  // namespace kino
