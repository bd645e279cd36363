// Meaning of drags and clicks of the left button over the tracks.
#pragma once

#include <cstdint>

#include "core/base/ids.hpp"

namespace kino {

enum class DragMeaning : std::uint8_t { marks_range, pans };

struct DragKeys {
  bool shift = false;
  bool space = false;
};

/// Returns the meaning of a drag that began with these keys held. Shift reverses the setting, and Space
/// always pans.
constexpr DragMeaning drag_meaning(bool drag_selects, DragKeys keys) {
  const bool marks = !keys.space && drag_selects != keys.shift;
  return marks ? DragMeaning::marks_range : DragMeaning::pans;
}

enum class ClickMeaning : std::uint8_t { selects, measures };

/// Returns the meaning of a click on `clicked`, kNoSlice for a place without a slice. With Ctrl, it measures
/// from the selected slice to another place.
constexpr ClickMeaning click_meaning(bool ctrl, SliceId selected, SliceId clicked) {
  const bool measures = ctrl && selected != kNoSlice && clicked != selected;
  return measures ? ClickMeaning::measures : ClickMeaning::selects;
}

}  // namespace kino
