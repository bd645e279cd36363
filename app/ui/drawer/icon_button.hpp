// Square buttons with a picture, for the bars of panels.
#pragma once

#include <cstdint>
#include <string>

#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/widgets/box.hpp"

namespace kino {

enum class ButtonIcon : std::uint8_t {
  cross,
  fill,  ///< a filled frame
  dock,  ///< a frame with a filled lower half
};

/// Draws the button; returns whether it was clicked. `hint` is its tooltip.
bool draw_icon_button(const char* id, const Box& box, ButtonIcon icon, const std::string& hint,
                      const DrawContext& look);

}  // namespace kino
