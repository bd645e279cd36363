// Moves a track or a group by its header: the press, the way, and the place where it will be put.
#pragma once

#include <optional>

#include <imgui.h>

#include "app/pages/timeline/track_commands.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// UI thread only.
class TrackDrag {
 public:
  /// The header button was pressed on `target` at `y` on screen.
  void press(TrackTarget target, float y);
  /// While it is held, and in the frame in which it is released.
  void follow(TimelineState& state, float y, bool held);
  void cancel() { target_.reset(); }
  /// Whether the press has become a drag, so that its end is no click.
  bool dragging() const { return target_ && moved_; }
  bool pressed() const { return target_.has_value(); }
  /// The line at which it will be put.
  void draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const;

 private:
  /// Where the dragged would go: before the item of this index in the layout's items, at this y.
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
