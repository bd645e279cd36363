// Computes and draws flow arrows: curves over the tracks that also point to hidden ends.
#pragma once

#include <array>
#include <optional>

#include <imgui.h>

#include "app/pages/timeline/flow_chain.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// A cubic curve from an arrow's source slice to its target slice, in screen coordinates.
struct ArrowCurve {
  std::array<ImVec2, 4> points;
  /// if false, the curve begins at the edge of the tracks, or at the track or group that hides the slice
  bool from_shown = true;
  bool to_shown = true;
};

/// The arrow leaves at the end of its source, or at the target's begin if that is earlier, and points to the
/// target's begin. An end in a hidden lane is at the bottom of its track; in a folded group, at its header.
/// Ends outside of the visible tracks are at the edge. nullopt if no part is visible. O(log tracks);
/// O(tracks) for folded groups.
std::optional<ArrowCurve> arrow_curve(const TimelineState& state, const FlowArrow& arrow);

/// Draws the arrows, clipped to the tracks, and their number if not all are shown.
void draw_flow_arrows(ImDrawList& list, const TimelineState& state, const FlowArrows& flows, bool all_in_view,
                      const Theme& theme);

}  // namespace kino
