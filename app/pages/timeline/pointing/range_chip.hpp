// The chip over a marked range: its length, and buttons to zoom to it, to save it and to compare it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Shown at the top of the tracks while a marked range is in sight and is not being dragged. UI thread only.
class RangeChip {
 public:
  /// Places the buttons and carries out a click. Call before other buttons of the tracks are placed, because
  /// the first of overlapping buttons gets the mouse.
  void handle(TimelineState& state);
  void draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const;
  /// Returns the area of the chip in the last frame; nullopt if there was none.
  std::optional<Box> box() const;
  /// Returns the positions of the buttons by name; null while there is no chip.
  nlohmann::ordered_json test_state() const;

 private:
  bool place(const TimelineState& state);

  static constexpr std::size_t kParts = 4;  // the length, and three buttons
  bool visible_ = false;
  std::array<Box, kParts> boxes_;
  std::size_t hovered_ = kParts;
};

}  // namespace kino
