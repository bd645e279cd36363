// Where flow arrows run on screen and how they are drawn: curves over the tracks that also show where to look
// when an end is hidden.
#pragma once

#include <array>
#include <optional>

#include <imgui.h>

#include "app/pages/timeline/flow_chain.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// A cubic curve from the slice an arrow leaves to the one it points to, in screen coordinates.
struct ArrowCurve {
  std::array<ImVec2, 4> points;
  bool from_shown = true;  ///< false: the curve begins at the edge of the tracks, or at what hides the slice
  bool to_shown = true;
};

/// The arrow leaves at the end of its slice, or where the other one begins if that is earlier, and points to
/// the other's begin. An end in a hidden lane is at the bottom of its track, one in a folded group at its
/// header; ends above or below the tracks in sight are at the edge. nullopt when nothing of it is in sight.
/// O(log tracks), O(tracks) for folded groups.
std::optional<ArrowCurve> arrow_curve(const TimelineState& state, const FlowArrow& arrow);

/// Draws the arrows over the tracks, clipped to them, and how many there are when not all are shown.
void draw_flow_arrows(ImDrawList& list, const TimelineState& state, const FlowArrows& flows, bool all_in_view,
                      const Theme& theme);

}  // namespace kino
