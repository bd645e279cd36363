// The strip under the tracks that says what the colours of slices mean, while they do not mean names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/view/slice_look.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// One swatch with its text.
struct LegendEntry {
  std::uint32_t color = 0;
  std::string text;
};

/// What there is in the trace: kinds in their order, tracks as they stand, modules with most GPU time (or,
/// where none has any, most slices) first. Empty for names and durations. O(groups log groups).
std::vector<LegendEntry> legend_entries(const SliceLook& look);

/// UI thread only; made anew only when the look changes.
class ColorLegend {
 public:
  void refresh(const SliceLook& look) { entries_ = legend_entries(look); }
  /// Draws into boxes.legend; nothing when it has no height.
  void draw(ImDrawList& list, const TimelineState& state, const SliceLook& look, const Theme& theme) const;

 private:
  void draw_entries(ImDrawList& list, const Box& box, float x, const TimelineState& state,
                    const Theme& theme) const;

  std::vector<LegendEntry> entries_;
};

}  // namespace kino
