#include "app/ui/drawer/icon_button.hpp"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/ui/widgets/panel_parts.hpp"

namespace kino {

bool draw_icon_button(const char* id, const Box& box, ButtonIcon icon, const std::string& hint,
                      const DrawContext& look) {
  place_button(id, box);
  const bool clicked = ImGui::IsItemClicked();
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImGui::SetTooltip("%s", hint.c_str());
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::uint32_t color = hovered ? look.theme.text : look.theme.text_dim;
  const float reach = std::round(5 * look.scale);
  const float thick = std::max(1.0F, std::round(1.4F * look.scale));
  const ImVec2 at{std::floor((box.left + box.right) / 2), std::floor((box.top + box.bottom) / 2)};
  if (icon == ButtonIcon::cross) {
    list.AddLine({at.x - reach, at.y - reach}, {at.x + reach, at.y + reach}, color, thick);
    list.AddLine({at.x - reach, at.y + reach}, {at.x + reach, at.y - reach}, color, thick);
    return clicked;
  }
  list.AddRect({at.x - reach - 1, at.y - reach}, {at.x + reach + 1, at.y + reach}, color, 0, 0, thick);
  const float top = icon == ButtonIcon::fill ? at.y - reach : at.y + 1;
  list.AddRectFilled({at.x - reach + 1, top + 2}, {at.x + reach - 1, at.y + reach - 2}, color);
  return clicked;
}

}  // namespace kino
