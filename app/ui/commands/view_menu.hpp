// The view menu of the tool bar: commands of commands.def, with check marks.
#pragma once

#include "app/ui/commands/commands.hpp"

namespace kino {

/// The menu's popup; open it with ImGui::OpenPopup(kViewMenu) in the same window. Runs the command that is
/// chosen.
inline constexpr const char* kViewMenu = "view";
void draw_view_menu(Commands& commands);

}  // namespace kino
