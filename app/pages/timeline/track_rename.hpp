// The field in which the user renames a track.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "app/ui/view/timeline_state.hpp"

namespace kino {

class TrackRename {
 public:
  static constexpr std::size_t kMostBytes = 200;

  /// Draws the field while it is open. Opens it beside the header of the state's renamed_track. Enter or a
  /// click outside of the field accepts the text, and Esc discards it. An empty name restores the original.
  void draw(TimelineState& state);

 private:
  std::optional<std::uint32_t> track_;
  bool takes_focus_ = false;
  std::array<char, kMostBytes + 1> text_{};
};

}  // namespace kino
