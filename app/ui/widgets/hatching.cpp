#include "app/ui/widgets/hatching.hpp"

#include <algorithm>
#include <cmath>

namespace kino {

void add_hatching(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 color, float ui_scale) {
  const float step = std::round(6 * ui_scale);
  const float slope = to.y - from.y;
  const auto lines = static_cast<int>((to.x - from.x + slope) / step) + 1;
  for (int l = 0; l < lines; ++l) {
    const float x = from.x - slope + static_cast<float>(l) * step;
    const float before = std::max(0.0F, from.x - x);
    const float after = std::max(0.0F, x + slope - to.x);
    if (before + after >= slope) continue;
    list.AddLine({x + before, to.y - before}, {x + slope - after, from.y + after}, color,
                 std::max(1.0F, ui_scale));
  }
}

void draw_hatching(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 color, float ui_scale) {
  const float step = std::round(6 * ui_scale);
  const float slope = to.y - from.y;
  list.PushClipRect(from, to, true);
  const auto lines = static_cast<int>((to.x - from.x + slope) / step) + 1;
  for (int l = 0; l < lines; ++l) {
    const float x = from.x - slope + static_cast<float>(l) * step;
    list.AddLine({x, to.y}, {x + slope, from.y}, color, std::max(1.0F, ui_scale));
  }
  list.PopClipRect();
}

}  // namespace kino
