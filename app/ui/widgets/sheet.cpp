#include "app/ui/widgets/sheet.hpp"

#include <algorithm>
#include <string>

#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {

bool begin_sheet(Text title_text, bool& open, ImVec2 size_em) {
  const std::string label = with_id(title_text, name_of(title_text));
  const char* title = label.c_str();
  if (open && !ImGui::IsPopupOpen(title)) ImGui::OpenPopup(title);
  if (!ImGui::IsPopupOpen(title)) return false;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  const ImVec2 size(std::min(size_em.x * em, display.x - 2 * em),
                    std::min(size_em.y * em, display.y - 2 * em));
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Always, ImVec2(0.5F, 0.5F));
  ImGui::SetNextWindowSize(size, ImGuiCond_Always);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;
  if (!ImGui::BeginPopupModal(title, &open, kFlags)) return false;
  const ImVec2 position = ImGui::GetWindowPos();
  const bool beside =
      ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowAppearing() &&
      !ImGui::IsMouseHoveringRect(position, ImVec2(position.x + size.x, position.y + size.y), false);
  if (beside || key_pressed(NamedKey::escape)) open = false;
  if (!open) ImGui::CloseCurrentPopup();
  return true;
}

}  // namespace kino
