// The bar that selects tracks: a filter, presets, and the number of hidden tracks.
#pragma once

#include <array>

#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

class TrackBar {
 public:
  /// Ctrl+Shift+F opens it with the keyboard in the filter.
  void handle_keys(TimelineState& state, bool keyboard);
  /// Draws into state.boxes.track_bar and changes the arrangement.
  void draw(TimelineState& state, const Theme& theme);

 private:
  void close(TimelineState& state);

  bool take_focus_ = false;
  std::array<char, 256> text_{};
};

}  // namespace kino
