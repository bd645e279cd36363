// The tools of the marked range: chips and tick boxes that select its tracks, and a button that saves the
// range.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/ui/view/range_tracks.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {

class RangeTrackBar {
 public:
  static void handle_keys(TimelineState& state);
  /// Draws the tools at ImGui's cursor, and leaves the cursor on the same line. Returns whether to save the
  /// range. O(tracks).
  bool draw(TimelineState& state, const Theme& theme);
  /// Whether the trace had tracks of this side in the last draw(), and the marked range includes none of them.
  bool leaves_out(const TimelineState& state, RangeSide side) const {
    return !tracks_of(side).empty() && ticked(state, tracks_of(side)) == Ticked::none;
  }
  /// Returns the positions of the drawn controls, for tests.
  const std::vector<std::pair<std::string, ImVec2>>& places() const { return places_; }

 private:
  void record_position(const std::string& name) { places_.emplace_back(name, item_center()); }
  void draw_list(TimelineState& state, const Theme& theme);
  const std::vector<std::uint32_t>& tracks_of(RangeSide side) const {
    return tracks_[static_cast<std::size_t>(side)];
  }

  std::uint64_t layout_generation_ = ~std::uint64_t{0};  // generation of the layout to which tracks_ belong
  std::array<std::vector<std::uint32_t>, 3> tracks_;     // tracks by RangeSide
  std::vector<std::pair<std::string, ImVec2>> places_;
};

}  // namespace kino
