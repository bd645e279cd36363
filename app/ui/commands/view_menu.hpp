// The menu of the tool bar that chooses what is shown and how: commands of the table, with marks at what
// holds.
#pragma once

#include "app/ui/commands/commands.hpp"

namespace kino {

/// The popup of the tool bar, opened by ImGui::OpenPopup(kViewMenu) in the same window. Runs what is chosen.
inline constexpr const char* kViewMenu = "view";
void draw_view_menu(Commands& commands);

}  // namespace kino
