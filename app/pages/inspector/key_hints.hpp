// The foot of the inspector while nothing is selected: what to do next, and the keys that move the view.
#pragma once

#include <imgui.h>

#include "app/ui/drawer/drawer_page.hpp"

namespace kino {

/// Returns the height that draw_key_hints() needs. `drag_selects`: see TimelineState.
float key_hints_height(float width, bool drag_selects, const DrawContext& look);
/// Draws into a child window of `size`.
void draw_key_hints(ImVec2 size, bool drag_selects, const DrawContext& look);

}  // namespace kino
