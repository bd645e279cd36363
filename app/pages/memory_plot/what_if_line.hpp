// Memory that another allocator setting would have reserved, as a second line over a snapshot's plot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/plot_raster.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Immutable. `bytes[i]` are reserved from `events[i]` on; `events` ascend, and begin before the recording.
struct WhatIfCurve {
  std::size_t device = 0;
  std::string setting;  ///< as text, for the label
  std::vector<EventIndex> events;
  std::vector<std::uint64_t> bytes;
  CurvePeak peak;
  EventIndex end = kNever;  ///< where memory runs out; the rest is not known

  /// Returns the highest value after any of the events [first, last]; 0 outside. O(log events + changes).
  std::uint64_t highest(EventIndex first, EventIndex last) const;
};

/// Returns the curve's highest value in each column of a raster of its device; 0 if there is none.
std::vector<std::uint64_t> what_if_columns(const WhatIfCurve& curve, const std::vector<EventIndex>& moments);

/// Draws into state.boxes.plot; `raster` shows the same view. Nothing without state.what_if.
void draw_what_if(ImDrawList& list, const SnapshotState& state, const PlotRaster& raster, const Theme& theme);

}  // namespace kino
