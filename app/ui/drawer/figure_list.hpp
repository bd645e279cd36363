// Shared parts of the drawer's small pages: their frame, and a list of names with figures.
#pragma once

#include <span>

#include <imgui.h>

#include "app/ui/drawer/drawer_page.hpp"

namespace kino {

/// Begins the frame of a page. Always end it with ImGui::EndChild().
void begin_page(const char* id, ImVec2 size, const DrawContext& look);

/// Begins a scrolling table with a frozen header: a column of names, then right-aligned figures. Returns
/// false if the table does not fit. If it returns true, end the table with ImGui::EndTable().
bool begin_figure_list(const char* id, std::span<const char* const> titles, ImVec2 size,
                       const DrawContext& look);

}  // namespace kino
