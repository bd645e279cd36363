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

  /// Opens for the state's renamed_track, beside its header, and draws while it is open. Enter or a click
  /// beside it accepts the text, Esc discards it. An empty name restores the original.
  void draw(TimelineState& state);

 private:
  std::optional<std::uint32_t> track_;
  bool takes_focus_ = false;
  std::array<char, kMostBytes + 1> text_{};
};

}  // namespace kino
