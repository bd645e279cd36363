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
  /// whether the source is visible; if not, the curve starts at the edge of the tracks, or at the track or
  /// group that hides it
  bool from_shown = true;
  bool to_shown = true;
};

/// Returns the curve of an arrow. It starts within the source slice, at the time nearest to the target's
/// start, and points to the start of the target. For a slice in a hidden lane, the curve ends at the bottom
/// of the track; in a folded group, at the group's header. Outside of the visible tracks, it ends at their
/// edge. nullopt if no part is visible. O(log tracks); O(tracks) for folded groups.
std::optional<ArrowCurve> arrow_curve(const TimelineState& state, const FlowArrow& arrow);

/// Draws the arrows, clipped to the tracks. If not all arrows are shown, or if `all_in_view`, also draws
/// their number.
void draw_flow_arrows(ImDrawList& list, const TimelineState& state, const FlowArrows& flows, bool all_in_view,
                      const Theme& theme);

}  // namespace kino
