#include "app/ui/drawer/top_list.hpp"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {

bool draw_top_row(const TopRow& row, const DrawContext& look) {
  const Theme& theme = look.theme;
  const float bar = std::max(2.0F, std::round(4 * look.scale));
  const float gap = std::round(5 * look.scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(1.0F, ImGui::GetContentRegionAvail().x);
  const float height = ImGui::GetFontSize() + bar + 2 * gap;
  ImGui::PushID(row.name.data(), row.name.data() + row.name.size());
  const bool clicked = ImGui::InvisibleButton("row", {width, height});
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    wrapped_tooltip(row.name);
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered || row.selected)
    list.AddRectFilled({at.x - gap, at.y}, {at.x + width + gap, at.y + height}, theme.group_header);
  const float amount = std::ceil(text_width(row.amount));
  const float y = std::floor(at.y + gap / 2);
  draw_elided(list, {at.x, y}, std::max(0.0F, width - amount - 2 * gap), theme.text, row.name, Elide::middle);
  list.AddText({std::floor(at.x + width - amount), y}, theme.text, row.amount.c_str());
  const float top = std::floor(y + ImGui::GetFontSize() + gap / 2);
  list.AddRectFilled({at.x, top}, {at.x + width, top + bar}, theme.group_header);
  const auto share = static_cast<float>(std::clamp(row.share, 0.0, 1.0));
  list.AddRectFilled({at.x, top}, {at.x + std::max(1.0F, std::round(width * share)), top + bar}, row.color);
  return clicked;
}

}  // namespace kino
