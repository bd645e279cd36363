// Marks a time range with the mouse: by a drag on the ruler or on the tracks, and by dragging the range's
// edges.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <imgui.h>

#include "app/pages/timeline/pointing/slice_distances.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Handles the gestures, which change TimelineState::marked.
class RangeGesture {
 public:
  static constexpr float kSnapPx = 6;

  /// Handles the mouse. Call before the button of the tracks is placed, because the first of overlapping
  /// buttons gets the mouse. Returns true if a drag or measurement has just ended with a range.
  bool handle(TimelineState& state);
  /// Continues a drag on the tracks that began at `pressed` on screen, and marks a range.
  void begin_on_tracks(TimelineState& state, ImVec2 pressed);
  /// Returns the place under the mouse: the hovered event, a nearby edge unless Alt is held, or the time.
  MeasuredPlace measured_at_mouse(const TimelineState& state);
  /// Starts a range that extends from `time_ns` to the mouse, until the next click or Esc.
  void measure_from(TimelineState& state, std::int64_t time_ns);
  /// Returns whether the mouse is held beyond an edge, so that the view moves without further input.
  bool panning() const { return panning_; }
  /// Draws the range over ruler and tracks, with its duration while it is being dragged.
  void draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const;

 private:
  enum class Source : unsigned char { none, ruler, tracks, edge, measure };

  /// Returns the time at a place on screen. Unless Alt is held, returns the time of a nearby slice edge if
  /// there is one.
  std::int64_t time_at(const TimelineState& state, ImVec2 place);
  std::int64_t time_at_mouse(const TimelineState& state);
  void place_edges(TimelineState& state);
  void press(TimelineState& state, Source source);
  bool follow(TimelineState& state);
  bool follow_measure(TimelineState& state);
  void pan_beyond_edges(TimelineState& state);
  void cover(TimelineState& state) const;

  Source source_ = Source::none;
  std::size_t pressed_item_ = 0;  // index of the layout item where the drag started
  bool moved_ = false;
  bool panning_ = false;
  std::optional<std::int64_t> snapped_ns_;  // time that a press would mark, for the hint
  std::vector<LaneDraw> lanes_;             // reused, to avoid allocations
  std::vector<RowId> rows_;
};

}  // namespace kino
