#include "app/pages/memory_plot/plot_raster.hpp"

#include <algorithm>
#include <cmath>

namespace kino {
namespace {

constexpr double kMarginShare = 0.15;  // margin on each side, relative to the width
constexpr double kRetainedMargin = 0.04;
constexpr double kMaxCells = 8192;  // limit per side: common drivers support textures of this size

}  // namespace

EventsBetween events_between(const SnapshotAxis& axis, double begin_units, double end_units) {
  const TimeRange all = axis.content();
  const double last_unit = std::nextafter(static_cast<double>(all.end_ns), -1e300);
  if (end_units <= static_cast<double>(all.begin_ns) || begin_units > last_unit) return {};
  const double from = std::max(begin_units, static_cast<double>(all.begin_ns));
  const double to = std::min(std::nextafter(end_units, -1e300), last_unit);
  return {axis.event_at(from), axis.event_at(std::max(from, to))};
}

PlotGeometry plot_geometry(const SnapshotState& state) {
  const double fine = state.framebuffer_scale;
  const TimeView& view = state.navigation.view();
  const double pixels = std::max(1.0, std::floor(view.width_px * fine));
  const double width = std::min(pixels, kMaxCells / (1 + 2 * kRetainedMargin) - 2);
  const double margin = std::floor(std::min(width * kMarginShare, (kMaxCells - width) / 2));
  const double height = std::clamp<double>(std::floor(state.boxes.plot.height() * fine), 1, kMaxCells);
  PlotGeometry geometry;
  geometry.device = state.device_index();
  geometry.axis = state.axis().kind();
  geometry.steps = state.axis().steps();
  geometry.units_per_column = view.ns_per_px * view.width_px / width;
  geometry.begin_units = view.begin_ns - margin * geometry.units_per_column;
  geometry.columns = static_cast<std::uint32_t>(std::ceil(width) + 2 * margin);
  geometry.low_bytes = state.bytes.low();
  geometry.rows = static_cast<std::uint32_t>(height);
  geometry.bytes_per_row = state.bytes.per_px(height);
  geometry.bands = state.bands;
  return geometry;
}

bool has_same_view(const PlotGeometry& raster, const SnapshotState& state) {
  return raster.device == state.device_index() && raster.axis == state.axis().kind() &&
         raster.steps == state.axis().steps() && raster.bands == state.bands;
}

bool serves(const PlotGeometry& raster, const SnapshotState& state) {
  const PlotGeometry now = plot_geometry(state);
  if (raster.rows != now.rows) return false;
  const double half_row = now.bytes_per_row / 2;
  if (std::abs(raster.low_bytes - now.low_bytes) > half_row) return false;
  if (std::abs(raster.bytes_per_row - now.bytes_per_row) * now.rows > half_row) return false;
  return matches_columns(raster, state);
}

bool matches_columns(const PlotGeometry& raster, const SnapshotState& state) {
  if (!has_same_view(raster, state)) return false;
  if (std::abs(raster.units_per_column / plot_geometry(state).units_per_column - 1) > 1e-6) return false;
  const TimeView& view = state.navigation.view();
  const TimeRange all = state.axis().content();
  const double kept = (view.end_ns() - view.begin_ns) * kRetainedMargin;
  const double wanted_begin = std::max(view.begin_ns - kept, static_cast<double>(all.begin_ns));
  const double wanted_end = std::min(view.end_ns() + kept, static_cast<double>(all.end_ns));
  const double end = raster.begin_units + raster.units_per_column * raster.columns;
  return raster.begin_units <= wanted_begin && end >= wanted_end;
}

PlotRaster plot_raster(const Snapshot& snapshot, const PlotGeometry& geometry, const std::stop_token& stop) {
  const SnapshotDevice& device = snapshot.devices[geometry.device];
  const SnapshotAxis axis(device, geometry.axis, geometry.steps);
  PlotRaster plot;
  plot.geometry = geometry;
  plot.reserved.resize(geometry.columns);
  std::vector<EventIndex> moments(geometry.columns, kNoMoment);
  for (std::uint32_t c = 0; c < geometry.columns; ++c) {
    if (c % 64 == 0 && stop.stop_requested()) return plot;
    const double begin = geometry.begin_units + c * geometry.units_per_column;
    const EventsBetween events = events_between(axis, begin, begin + geometry.units_per_column);
    if (events.first == kNoMoment) continue;
    moments[c] = highest_event(device, events.first, events.last, geometry.bands.get());
    plot.reserved[c] = curve_over(device, MemoryCurve::reserved, events.first, events.last);
  }
  plot.raster = memory_raster(device, std::move(moments), geometry.low_bytes, geometry.bytes_per_row,
                              geometry.rows, stop, geometry.bands.get());
  return plot;
}

}  // namespace kino
