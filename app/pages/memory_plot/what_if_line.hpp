// Memory that would have been reserved with another allocator setting, as a second line over the plot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/plot_raster.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Reserved memory over time with another allocator setting. `bytes[i]` are reserved from `events[i]` on.
/// `events` is ascending and starts before the recording. Immutable.
struct WhatIfCurve {
  std::size_t device = 0;
  std::string setting;  ///< as text, for the label
  std::vector<EventIndex> events;
  std::vector<std::uint64_t> bytes;
  CurvePeak peak;
  EventIndex end = kNever;  ///< event at which memory runs out; later values are not known

  /// Returns the highest value after any of the events [first, last]; 0 if the curve has no values there.
  /// O(log events + changes).
  std::uint64_t highest(EventIndex first, EventIndex last) const;
};

/// Returns the curve's highest value in each column of a raster of the curve's device; 0 if there is none.
/// `moments` has the raster's moment of each column.
std::vector<std::uint64_t> what_if_columns(const WhatIfCurve& curve, const std::vector<EventIndex>& moments);

/// Draws state.what_if into state.boxes.plot. Does nothing if it is null or belongs to another device.
/// `raster` must show the same view.
void draw_what_if(ImDrawList& list, const SnapshotState& state, const PlotRaster& raster, const Theme& theme);

}  // namespace kino
