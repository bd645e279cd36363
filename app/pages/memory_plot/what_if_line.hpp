// What another setting of the allocator would have reserved, as a second line over a snapshot's plot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/plot_raster.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Immutable. From each of `events` on so many bytes are reserved; `events` ascend, and begin before the
/// recording.
struct WhatIfCurve {
  std::size_t device = 0;
  std::string setting;  ///< in words, for the label
  std::vector<EventIndex> events;
  std::vector<std::uint64_t> bytes;
  CurvePeak peak;
  EventIndex end = kNever;  ///< where memory runs out: what follows is not known

  /// The highest value after any of the events [first, last]; 0 where the curve does not reach. O(log + what
  /// changes in between).
  std::uint64_t highest(EventIndex first, EventIndex last) const;
};

/// Its highest value of each column of a raster, and 0 where there is none. Of the columns' device.
std::vector<std::uint64_t> what_if_columns(const WhatIfCurve& curve, const std::vector<EventIndex>& moments);

/// Into state.boxes.plot, where `raster` is of what is shown; nothing without state.what_if.
void draw_what_if(ImDrawList& list, const SnapshotState& state, const PlotRaster& raster, const Theme& theme);

}  // namespace kino
