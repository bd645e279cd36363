// Draws slanted lines over a rectangle, used for pending frees, waiting ranks and idle time.
#pragma once

#include <imgui.h>

namespace kino {

/// Clips the lines with a clip rectangle, which adds a command to the draw list.
void draw_hatching(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 color, float ui_scale);
/// Ends the lines at the edges, within a px, without another command of the draw list. Faster for many small
/// rectangles.
void add_hatching(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 color, float ui_scale);

}  // namespace kino
