// The strip below the tracks that explains the colors of slices, unless they are colors of names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/view/slice_style.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

struct LegendEntry {
  std::uint32_t color = 0;
  std::string text;
};

/// Returns the groups of the trace: kinds and tracks in their order; modules by GPU time, then slices,
/// largest first. Empty for names and durations. O(groups log groups).
std::vector<LegendEntry> legend_entries(const SliceStyle& look);

/// Rebuilt only when the style changes.
class ColorLegend {
 public:
  void refresh(const SliceStyle& look) { entries_ = legend_entries(look); }
  /// Draws into boxes.legend; nothing if it has no height.
  void draw(ImDrawList& list, const TimelineState& state, const SliceStyle& look, const Theme& theme) const;

 private:
  void draw_entries(ImDrawList& list, const Box& box, float x, const TimelineState& state,
                    const Theme& theme) const;

  std::vector<LegendEntry> entries_;
};

}  // namespace kino
