// What the small pages of the drawer share: their frame, and a list of names with figures.
#pragma once

#include <span>

#include <imgui.h>

#include "app/ui/drawer/drawer_page.hpp"

namespace kino {

/// The frame of a page; ImGui::EndChild() ends it, whatever it shows.
void begin_page(const char* id, ImVec2 size, const DrawerLook& look);

/// A table that scrolls below its titles: a name, then figures at the right. ImGui::EndTable() ends it;
/// false: there is no room, and nothing to be ended.
bool begin_figure_list(const char* id, std::span<const char* const> titles, ImVec2 size,
                       const DrawerLook& look);

}  // namespace kino
