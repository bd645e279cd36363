#include "app/widgets/drawer_tabs.hpp"

#include <algorithm>
#include <cmath>

#include "app/widgets/text_drawing.hpp"

namespace kino {

float drawer_tabs_height(float ui_scale) { return std::round(28 * ui_scale); }

std::optional<int> draw_drawer_tabs(std::span<const DrawerTabLabel> labels, int shown, ImVec2 left_top,
                                    float width, const Theme& theme, float ui_scale) {
  std::optional<int> clicked;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float height = drawer_tabs_height(ui_scale);
  const float right = left_top.x + width;
  const float bottom = left_top.y + height;
  const float padding = std::round(12 * ui_scale);
  const float gap = std::round(6 * ui_scale);
  const float text_y = std::floor(left_top.y + (height - ImGui::GetFontSize()) / 2);
  list.AddRectFilled(left_top, {right, bottom}, theme.group_header);
  list.AddLine({left_top.x, bottom - 0.5F}, {right, bottom - 0.5F}, theme.border);
  float x = left_top.x;
  for (const DrawerTabLabel& label : labels) {
    const float title_width = std::ceil(text_width(label.title));
    const float note_width = label.note.empty() ? 0 : gap + std::ceil(text_width(label.note));
    const float tab_right = std::min(right, x + 2 * padding + title_width + note_width);
    if (tab_right - x < 2 * padding) break;
    ImGui::SetCursorScreenPos({x, left_top.y});
    ImGui::PushID(label.tab);
    if (ImGui::InvisibleButton("tab", {tab_right - x, height})) clicked = label.tab;
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const bool current = label.tab == shown;
    if (current) {
      list.AddRectFilled({x, left_top.y + 1}, {tab_right, bottom}, theme.panel);
      list.AddRectFilled({x, bottom - std::round(2 * ui_scale)}, {tab_right, bottom}, theme.accent);
    }
    const float room = tab_right - x - 2 * padding;
    const float used = draw_elided(list, {x + padding, text_y}, room,
                                   current || hovered ? theme.text : theme.text_dim, label.title);
    draw_elided(list, {x + padding + used + gap, text_y}, room - used - gap, theme.text_dim, label.note);
    x = tab_right;
  }
  return clicked;
}

}  // namespace kino
