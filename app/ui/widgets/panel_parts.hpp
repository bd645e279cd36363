// Sizes and mouse areas that several kinds of pages share.
#pragma once

#include <algorithm>
#include <cmath>

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

/// Returns the width of the inspector on the right of a page, in the unit of `page_px`; 0 if the page is too
/// narrow for one. `scale` is the UI scale.
inline float inspector_width(float page_px, float scale) {
  constexpr float kLeastPagePx = 1440;
  constexpr float kWidePagePx = 2560;
  if (page_px < std::round(kLeastPagePx * scale)) return 0;
  return std::round((page_px < std::round(kWidePagePx * scale) ? 324.0F : 420.0F) * scale);
}

inline ImVec2 left_top(const Box& box) { return {box.left, box.top}; }
inline ImVec2 right_bottom(const Box& box) { return {box.right, box.bottom}; }

inline void place_button(const char* id, const Box& box, ImGuiButtonFlags flags = 0) {
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::InvisibleButton(id, {std::max(1.0F, box.width()), std::max(1.0F, box.height())}, flags);
}

}  // namespace kino
