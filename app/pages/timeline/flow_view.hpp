// The flows of the timeline: keeps the arrows of the selection, or of everything in view, and follows them.
#pragma once

#include <vector>

#include <imgui.h>

#include "app/pages/timeline/flow_chain.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Recomputes nothing while selection and view stay. UI thread only.
class FlowView {
 public:
  /// G, Shift+G and Ctrl+G, or what the person made of them. `keyboard`: whether the keys are the timeline's.
  void handle_keys(TimelineState& state, bool keyboard);
  /// Over the tracks; call after the slices were drawn.
  void draw(ImDrawList& list, const TimelineState& state, const Theme& theme);

  bool all_in_view() const { return all_in_view_; }
  void show_all_in_view(bool all) { all_in_view_ = all; }
  /// What the last draw() showed.
  const FlowArrows& shown() const { return all_in_view_ ? in_view_ : chain_; }

 private:
  void update_chain(const TimelineState& state);
  void update_in_view(const TimelineState& state);

  bool all_in_view_ = false;
  FlowArrows chain_;
  SliceId chain_of_ = kNoSlice;
  FlowArrows in_view_;
  TimeView seen_view_;
  std::vector<RowId> seen_rows_;
};

}  // namespace kino
