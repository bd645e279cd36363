// Small menus of bars: parts of commands.def, with check marks.
#pragma once

#include "app/ui/commands/commands.hpp"

namespace kino {

/// Draws one part of the commands as a popup with this id, and runs the chosen command.
void draw_menu_part(const char* id, MenuPart part, Commands& commands);

}  // namespace kino
