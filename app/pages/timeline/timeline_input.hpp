// Mouse and keys of the timeline: zoom, pan, scroll, fold, select, resize.
#pragma once

#include "app/pages/timeline/track_drag.hpp"
#include "app/pages/timeline/track_headers.hpp"
#include "app/pages/timeline/track_rename.hpp"
#include "app/ui/view/timeline_state.hpp"

namespace kino {

/// Turns this frame's mouse and keys into changes of the state. Call inside the window, after the state was
/// placed.
class TimelineInput {
 public:
  /// `keyboard`: whether the keys are the timeline's now.
  void handle(TimelineState& state, bool keyboard);
  /// What of the hovered header lies under the mouse.
  HeaderPart hovered_part() const { return hovered_part_; }
  const TrackDrag& drag() const { return drag_; }

 private:
  void handle_splitters(TimelineState& state) const;
  void handle_headers(TimelineState& state);
  void handle_tracks(TimelineState& state);
  void handle_drag(TimelineState& state);
  void handle_double_click(TimelineState& state);
  static void handle_wheel(TimelineState& state);
  static void handle_keys(TimelineState& state);

  float dragged_x_ = 0;  // what of the running drag has been applied
  float dragged_y_ = 0;
  bool dragging_ = false;
  TrackDrag drag_;  // of a header
  TrackTarget menu_target_;
  TrackRename rename_;
  HeaderPart hovered_part_ = HeaderPart::name;
  EventPick clicked_;  // what the last click on the tracks picked
  TimeRange parting_;  // where its slices part, when it was several
};

}  // namespace kino
