// Moves a track or a group by dragging its header.
#pragma once

#include <optional>

#include <imgui.h>

#include "app/pages/timeline/track_commands.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

class TrackDrag {
 public:
  /// Starts a possible drag. Call when the header button of `target` was pressed at screen `y`.
  void press(TrackTarget target, float y);
  /// Follows the mouse, and moves the track or group when the button is released. Call while the button is
  /// held, and in the frame in which it is released.
  void follow(TimelineState& state, float y, bool held);
  void cancel() { target_.reset(); }
  /// Returns whether the press has become a drag, so that its end is not a click.
  bool dragging() const { return target_ && moved_; }
  bool pressed() const { return target_.has_value(); }
  /// Draws a line where the track or group will be inserted.
  void draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const;

 private:
  /// Insertion point: before the track or group `before`, at `y`.
  struct Place {
    std::uint32_t before = Arrangement::kLast;
    float y = 0;
  };
  std::optional<Place> place_at(const TimelineState& state, float y) const;

  std::optional<TrackTarget> target_;
  float from_y_ = 0;
  float y_ = 0;
  bool moved_ = false;
};

}  // namespace kino
