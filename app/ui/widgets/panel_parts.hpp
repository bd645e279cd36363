// Sizes and mouse areas that the timeline and the memory plot share.
#pragma once

#include <algorithm>

#include <imgui.h>

#include "app/ui/widgets/box.hpp"

namespace kino {

// At scale 1.
inline constexpr float kRulerPx = 28;
inline constexpr float kSplitterPx = 7;
inline constexpr float kMinDrawerPx = 80;
inline constexpr float kDragPx = 4;  ///< largest movement of a click

inline constexpr double kWheelZoom = 1.25;
inline constexpr double kWheelPanShare = 0.08;

inline ImVec2 left_top(const Box& box) { return {box.left, box.top}; }
inline ImVec2 right_bottom(const Box& box) { return {box.right, box.bottom}; }

inline void place_button(const char* id, const Box& box, ImGuiButtonFlags flags = 0) {
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::InvisibleButton(id, {std::max(1.0F, box.width()), std::max(1.0F, box.height())}, flags);
}

}  // namespace kino
