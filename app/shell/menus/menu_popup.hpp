// Menus of other bars, such as the bar above a page: menus of menu.def as popups.
#pragma once

#include <string_view>

#include "app/shell/menus/menu_list.hpp"
#include "app/ui/commands/commands.hpp"

namespace kino {

/// Draws the commands of a menu as the popup with this id, and runs the chosen command. Submenus are not
/// drawn. `device`: see Page::device_word().
void draw_menu_popup(const char* id, Menu menu, Commands& commands, std::string_view device = "GPU");

}  // namespace kino
