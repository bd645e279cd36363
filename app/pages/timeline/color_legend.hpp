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

/// Returns the groups of slices that have colors. Kinds and tracks are in their own order; modules are sorted
/// by GPU time, then by number of slices, largest first. Empty if slices are colored by name or duration.
/// O(groups log groups).
std::vector<LegendEntry> legend_entries(const SliceStyle& look);

/// The legend of colors. Its entries are recomputed only when the style changes.
class ColorLegend {
 public:
  void refresh(const SliceStyle& look) { entries_ = legend_entries(look); }
  /// Draws the legend into boxes.legend. Draws nothing if this box has no height.
  void draw(ImDrawList& list, const TimelineState& state, const SliceStyle& look, const Theme& theme) const;

 private:
  void draw_entries(ImDrawList& list, const Box& box, float x, const TimelineState& state,
                    const Theme& theme) const;

  std::vector<LegendEntry> entries_;
};

}  // namespace kino
