// Draws intervals of one kind as a horizontal band, for a rank or a step.
#pragma once

#include <cstdint>

#include <imgui.h>

#include "app/ui/widgets/box.hpp"
#include "core/trace/links/busy_time.hpp"
#include "render/time_view.hpp"

namespace kino {

struct BandStyle {
  std::uint32_t color = 0;
  std::uint32_t back = 0;  ///< opaque background of the band
  bool hatched = false;    ///< for waits and idle time
  float scale = 1;
};

/// Draws intervals that are at least one pixel wide as rectangles. Smaller intervals are merged per pixel
/// column. The column is shaded by the share of its time that they cover, and remains visible for small
/// shares. The view starts at the band's left edge. O(intervals in view, at most columns).
void draw_busy_band(ImDrawList& list, const TimeView& view, const Box& band, const BusyLine& line,
                    const BandStyle& look);

}  // namespace kino
