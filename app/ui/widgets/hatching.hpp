// Draws slanted lines over a rectangle, used for pending frees and waiting ranks.
#pragma once

#include <imgui.h>

namespace kino {

void draw_hatching(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 color, float ui_scale);

}  // namespace kino
