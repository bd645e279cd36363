// Computes the raster of a snapshot's plot for the visible part.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "core/memory/memory_raster.hpp"

namespace kino {

/// The part of a plot that a raster covers. A cell is a framebuffer pixel of the view that requested the
/// raster, or wider if the view exceeds the size limit of textures.
struct PlotGeometry {
  std::size_t device = 0;
  SnapshotAxisKind axis = SnapshotAxisKind::events;
  std::shared_ptr<const SnapshotSteps> steps;  ///< steps of the device; null unless the axis shows steps
  double begin_units = 0;                      ///< position on the axis of the left edge of column 0
  double units_per_column = 1;
  std::uint32_t columns = 0;
  double low_bytes = 0;
  double bytes_per_row = 1;
  std::uint32_t rows = 0;
  std::shared_ptr<const BandLayout> bands;  ///< layout of the device; null: stacked

  bool operator==(const PlotGeometry&) const = default;
};

/// First and last event whose state is visible in an interval of an axis; kNoMoment if the interval is
/// outside of the axis.
struct EventsBetween {
  EventIndex first = kNoMoment;
  EventIndex last = kNoMoment;
};
EventsBetween events_between(const SnapshotAxis& axis, double begin_units, double end_units);

/// Returns whether a raster has the device, axis and bands of the view. The raster may cover another part of
/// the axis.
bool has_same_view(const PlotGeometry& raster, const SnapshotState& state);

/// Returns the geometry of the current view, with margins on both sides for panning.
PlotGeometry plot_geometry(const SnapshotState& state);
/// Returns whether the raster's columns have the view's scale and cover the view with some margin, as far as
/// the axis extends.
bool matches_columns(const PlotGeometry& raster, const SnapshotState& state);
/// Returns whether a raster covers the view at full resolution, with some margin.
bool serves(const PlotGeometry& raster, const SnapshotState& state);

struct PlotRaster {
  PlotGeometry geometry;
  MemoryRaster raster;
  std::vector<CurveExtent> reserved;  ///< highest and lowest reserved memory of each column
};

/// Computes a raster; see memory_raster(). `geometry` must belong to a device of `snapshot`.
PlotRaster plot_raster(const Snapshot& snapshot, const PlotGeometry& geometry, const std::stop_token& stop);

}  // namespace kino
