#include "app/ui/commands/view_menu.hpp"

#include <string>

#include <imgui.h>

#include "app/ui/widgets/widgets.hpp"

namespace kino {

void draw_menu_part(const char* id, MenuPart part, Commands& commands) {
  if (!ImGui::BeginPopup(id)) return;
  if (popup_closed_by_escape()) return;
  for (const CommandId command : menu_commands(part)) {
    const std::string key = commands.keymap().first_key_text(command);
    if (ImGui::MenuItem(tr(info_of(command).title), key.c_str(), commands.checked(command),
                        commands.available(command))) {
      commands.run(command);
    }
  }
  ImGui::EndPopup();
}

}  // namespace kino
