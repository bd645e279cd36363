// Mouse and keys of the timeline: zoom, pan, scroll, fold, select, resize.
#pragma once

#include <optional>

#include <imgui.h>

#include "app/pages/timeline/track_drag.hpp"
#include "app/pages/timeline/track_headers.hpp"
#include "app/pages/timeline/track_rename.hpp"
#include "app/ui/view/timeline_state.hpp"

namespace kino {

/// Applies this frame's mouse and keys to the state. Call inside the window, after the state was placed.
class TimelineInput {
 public:
  void handle(TimelineState& state, bool keyboard);
  /// Position on screen where a drag began that became a marked range in this frame; nullopt if none did.
  std::optional<ImVec2> range_drag() const { return range_drag_; }
  /// Whether a click in this frame measures from the selected slice to the mouse.
  bool measure_clicked() const { return measure_clicked_; }
  HeaderPart hovered_part() const { return hovered_part_; }
  const TrackDrag& drag() const { return drag_; }

 private:
  void handle_headers(TimelineState& state);
  void handle_tracks(TimelineState& state);
  void handle_drag(TimelineState& state);
  void handle_double_click(TimelineState& state);

  float dragged_x_ = 0;  // part of the current drag that was already applied, in px
  float dragged_y_ = 0;
  bool dragging_ = false;
  bool marks_range_ = false;  // whether the drag marks a range instead of moving the view
  bool space_held_ = false;
  bool measure_clicked_ = false;
  std::optional<ImVec2> range_drag_;
  TrackDrag drag_;  // drag of a header
  TrackTarget menu_target_;
  TrackRename rename_;
  HeaderPart hovered_part_ = HeaderPart::name;
  EventPick clicked_;           // event that the last click on the tracks picked
  TimeRange separating_range_;  // range in which the slices of clicked_ separate, if there are several
};

}  // namespace kino
