// The bar that selects tracks: a filter, presets, and the number of hidden tracks.
#pragma once

#include <array>

#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

class TrackBar {
 public:
  /// Handles the command that filters tracks (Ctrl+Shift+F by default): opens the bar and moves the keyboard
  /// focus to its filter.
  void handle_keys(TimelineState& state, bool keyboard);
  /// Draws the bar into state.boxes.track_bar. Changes the arrangement as the user selects.
  void draw(TimelineState& state, const Theme& theme);

 private:
  void close(TimelineState& state);

  bool take_focus_ = false;
  std::array<char, 256> text_{};
};

}  // namespace kino
