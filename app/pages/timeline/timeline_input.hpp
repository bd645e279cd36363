// Mouse and keys of the timeline: zoom, pan, scroll, fold, select, resize.
#pragma once

#include "app/pages/timeline/track_drag.hpp"
#include "app/pages/timeline/track_headers.hpp"
#include "app/pages/timeline/track_rename.hpp"
#include "app/ui/view/timeline_state.hpp"

namespace kino {

/// Applies this frame's mouse and keys to the state. Call inside the window, after the state was placed.
class TimelineInput {
 public:
  void handle(TimelineState& state, bool keyboard);
  HeaderPart hovered_part() const { return hovered_part_; }
  const TrackDrag& drag() const { return drag_; }

 private:
  void handle_headers(TimelineState& state);
  void handle_tracks(TimelineState& state);
  void handle_drag(TimelineState& state);
  void handle_double_click(TimelineState& state);

  float dragged_x_ = 0;  // part of the current drag that was already applied
  float dragged_y_ = 0;
  bool dragging_ = false;
  TrackDrag drag_;  // of a header
  TrackTarget menu_target_;
  TrackRename rename_;
  HeaderPart hovered_part_ = HeaderPart::name;
  EventPick clicked_;           // event that the last click on the tracks picked
  TimeRange separating_range_;  // range in which slices of that pixel separate, if there are several
};

}  // namespace kino
