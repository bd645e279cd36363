// Outlines of the slices that are connected with the slice under the mouse, and pills that lead to those out
// of sight.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Edge of the tracks beyond which a slice is.
enum class BeyondEdge : std::uint8_t { none, left, right, top, bottom };
/// Returns the edge beyond which the whole slice is; the left or right edge takes precedence. `none` if a
/// part of the slice is in sight or if its lane is hidden.
BeyondEdge edge_beyond(const TimelineState& state, SliceId slice);

/// The slices that are connected with one slice. Those in `named` get a pill while they are out of sight.
struct ConnectedSlices {
  std::vector<SliceId> named;   ///< at most a few
  std::vector<SliceId> others;  ///< only outlined
};

/// UI thread only. Costs O(connected slices * log rows) per frame.
class ChainOutline {
 public:
  /// Whether `hovered` differs from the slice of the last set().
  bool outdated(SliceId hovered) const { return hovered != hovered_; }
  void set(SliceId hovered, ConnectedSlices connected);
  /// Places the pills, and returns the slice whose pill was clicked; kNoSlice if there is none. Call before
  /// other buttons of the tracks are placed, because the first of overlapping buttons gets the mouse. Pills
  /// do not cover the area `avoided`.
  SliceId handle(const TimelineState& state, const std::optional<Box>& avoided, double delta_seconds);
  void draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const;
  /// Whether pills change later without input.
  bool wants_frames() const { return pills_of_ != hovered_ && !over_pill_; }
  /// Returns the names of the outlined slices, and texts and positions of the pills.
  nlohmann::ordered_json test_state(const Trace& trace) const;

 private:
  struct Pill {
    SliceId slice = kNoSlice;
    BeyondEdge edge = BeyondEdge::none;
    std::string text;
    Box box;
  };

  void choose_pills(double delta_seconds);
  void place_pills(const TimelineState& state, const std::optional<Box>& avoided);
  void place_pill(const TimelineState& state, Pill& pill) const;

  SliceId hovered_ = kNoSlice;  // the slice under the mouse in the last frame
  ConnectedSlices connected_;   // with hovered_
  SliceId pills_of_ = kNoSlice;
  std::vector<SliceId> pill_slices_;
  std::vector<Pill> pills_;
  double resting_seconds_ = 0;  // since hovered_ changed
  ImVec2 mouse_;                // when pills_of_ changed, to keep pills away from this position
  bool over_pill_ = false;
};

}  // namespace kino
