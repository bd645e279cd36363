// Shows and follows the flow arrows of the selection, or of everything in view. Outlines the slices connected
// with the one under the mouse.
#pragma once

#include <optional>
#include <vector>

#include <imgui.h>

#include "app/pages/timeline/flow_chain.hpp"
#include "app/pages/timeline/pointing/chain_outline.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Draws and follows flow arrows. Recomputes them only when the selection or the view changes.
class FlowView {
 public:
  /// Handles the keys of flows if the timeline has the `keyboard`.
  void handle_keys(TimelineState& state, bool keyboard);
  /// Places the pills of connected slices, and goes to a clicked one. Call before other buttons of the tracks
  /// are placed.
  void handle_pills(TimelineState& state, const std::optional<Box>& avoided, double delta_seconds);
  /// Draws the arrows and outlines over the tracks. Call after the slices were drawn.
  void draw(ImDrawList& list, const TimelineState& state, const Theme& theme);

  bool all_in_view() const { return all_in_view_; }
  void show_all_in_view(bool all) { all_in_view_ = all; }
  /// Whether pills change later without input.
  bool wants_frames() const { return outline_.wants_frames(); }
  const ChainOutline& outline() const { return outline_; }
  /// Returns the arrows of the last draw().
  const FlowArrows& shown() const { return all_in_view_ ? in_view_ : chain_; }

 private:
  void update_chain(const TimelineState& state);
  void update_in_view(const TimelineState& state);

  bool all_in_view_ = false;
  FlowArrows chain_;
  SliceId chain_of_ = kNoSlice;
  FlowArrows in_view_;
  ChainOutline outline_;
  TimeView seen_view_;
  std::vector<RowId> seen_rows_;
};

}  // namespace kino
