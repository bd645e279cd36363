#include "app/shell/menus/menu_popup.hpp"

#include <string>

#include <imgui.h>

#include "app/ui/text/model_texts.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {

void draw_menu_popup(const char* id, Menu menu, Commands& commands, std::string_view device) {
  if (!ImGui::BeginPopup(id)) return;
  if (popup_closed_by_escape()) return;
  for (const MenuItem& item : items_of(menu)) {
    if (!item.command) continue;
    if (item.line_above) ImGui::Separator();
    const std::string key = commands.keymap().first_key_text(*item.command);
    if (ImGui::MenuItem(device_text(item.title, device).c_str(), key.c_str(), commands.checked(*item.command),
                        commands.has_effect(*item.command))) {
      commands.run(*item.command);
    }
  }
  ImGui::EndPopup();
}

}  // namespace kino
