// The tabs of the drawer under the tracks: which there are, and the bar to choose one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <imgui.h>

#include "app/theme.hpp"

namespace kino {

/// In the order of the bar.
enum class DrawerTab : std::uint8_t { selection, range, steps, hits, bookmarks };

/// One tab of the bar. Tabs without content are left out of it.
struct DrawerTabLabel {
  DrawerTab tab{};
  const char* title = "";
  std::string note;  ///< dim behind the title, such as a count; may be empty
};

/// The height of the bar at this scale.
float drawer_tabs_height(float ui_scale);

/// Draws the bar across `width` at `left_top` and returns the tab a person clicked on.
std::optional<DrawerTab> draw_drawer_tabs(std::span<const DrawerTabLabel> labels, DrawerTab shown,
                                          ImVec2 left_top, float width, const Theme& theme, float ui_scale);

}  // namespace kino
