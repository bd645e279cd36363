// Slanted lines over a rectangle: memory whose free waits for a stream, or a rank that waits for others.
#pragma once

#include <imgui.h>

namespace kino {

void draw_hatching(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 color, float ui_scale);

}  // namespace kino
