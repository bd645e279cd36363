#include "app/pages/memory_plot/what_if_line.hpp"

#include <algorithm>
#include <cmath>

namespace kino {

std::uint64_t WhatIfCurve::highest(EventIndex first, EventIndex last) const {
  if (events.empty() || first > last || first >= end) return 0;
  // The value at `first` may have been set by an earlier event.
  auto at = std::ranges::upper_bound(events, first);
  if (at != events.begin()) --at;
  std::uint64_t most = 0;
  for (; at != events.end() && *at <= last; ++at)
    most = std::max(most, bytes[static_cast<std::size_t>(at - events.begin())]);
  return most;
}

std::vector<std::uint64_t> what_if_columns(const WhatIfCurve& curve, const std::vector<EventIndex>& moments) {
  std::vector<std::uint64_t> columns(moments.size());
  EventIndex before = kNoMoment;
  for (std::size_t c = 0; c < moments.size(); ++c) {
    if (moments[c] == kNoMoment) continue;
    const EventIndex first = before == kNoMoment || before >= moments[c] ? moments[c] : before + 1;
    columns[c] = curve.highest(first, moments[c]);
    before = moments[c];
  }
  return columns;
}

void draw_what_if(ImDrawList& list, const SnapshotState& state, const PlotRaster& raster,
                  const Theme& theme) {
  constexpr float kWhatIfLinePx = 2;
  constexpr std::uint32_t kWhatIfHaloAlpha = 0xb0;
  const WhatIfCurve* const curve = state.what_if.get();
  if (curve == nullptr || curve->device != state.device_index() || raster.raster.cells.empty()) return;
  const std::vector<std::uint64_t> columns = what_if_columns(*curve, raster.raster.moments);
  const Box& plot = state.boxes.plot;
  const TimeView& view = state.navigation.view();
  const auto x_of = [&](std::size_t column) {
    const double units =
        raster.geometry.begin_units + static_cast<double>(column) * raster.geometry.units_per_column;
    return plot.left + static_cast<float>(view.px_from_ns(units));
  };
  const auto y_of = [&](std::uint64_t bytes) {
    return std::floor(state.y_of(static_cast<double>(bytes))) + 0.5F;
  };
  const float thick = std::max(1.0F, std::round(kWhatIfLinePx * state.scale));
  const auto stroke = [&](std::uint32_t color, float width) {
    std::size_t run = 0;
    for (std::size_t c = 1; c <= columns.size(); ++c) {
      const bool next = c < columns.size();
      if (next && columns[c] == columns[c - 1]) continue;
      if (columns[c - 1] != 0)
        list.AddLine({x_of(run), y_of(columns[c - 1])}, {x_of(c), y_of(columns[c - 1])}, color, width);
      if (next && columns[c - 1] != 0 && columns[c] != 0)
        list.AddLine({x_of(c), y_of(columns[c - 1])}, {x_of(c), y_of(columns[c])}, color, width);
      run = c;
    }
  };
  stroke(with_alpha(theme.track_area, kWhatIfHaloAlpha), thick + 2);
  stroke(theme.selection, thick);
}

}  // namespace kino
