// Stretches of one kind as a band: of a rank, or of a step.
#pragma once

#include <cstdint>

#include <imgui.h>

#include "app/ui/widgets/box.hpp"
#include "core/trace/links/busy_time.hpp"
#include "render/time_view.hpp"

namespace kino {

struct BandLook {
  std::uint32_t color = 0;
  std::uint32_t back = 0;  ///< opaque: what the band lies on
  bool hatched = false;    ///< it suffers, or is idle
  float scale = 1;
};

/// Stretches of at least a pixel as they are; smaller ones a column each, as dark as they fill it. The view's
/// left edge is the band's. O(stretches in view, at most columns).
void draw_busy_band(ImDrawList& list, const TimeView& view, const Box& band, const BusyLine& line,
                    const BandLook& look);

}  // namespace kino
