// The tabs of the drawer under the tracks or the plot: which there are, and the bar to choose one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <imgui.h>

#include "app/widgets/theme.hpp"

namespace kino {

/// One tab of the bar. Tabs without content are left out of it.
struct DrawerTabLabel {
  /// `note` stands dim behind the title, such as a count; may be empty.
  template <class Tab>
  DrawerTabLabel(Tab the_tab, const char* the_title, std::string the_note)
      : tab(static_cast<int>(the_tab)), title(the_title), note(std::move(the_note)) {}

  int tab = 0;  ///< of an enumeration
  const char* title = "";
  std::string note;
};

/// The height of the bar at this scale.
float drawer_tabs_height(float ui_scale);

/// Draws the bar across `width` at `left_top` and returns the tab a person clicked on.
std::optional<int> draw_drawer_tabs(std::span<const DrawerTabLabel> labels, int shown, ImVec2 left_top,
                                    float width, const Theme& theme, float ui_scale);
/// The same for the enumeration that the labels are of.
template <class Tab>
std::optional<Tab> draw_drawer_tabs(std::span<const DrawerTabLabel> labels, Tab shown, ImVec2 left_top,
                                    float width, const Theme& theme, float ui_scale) {
  const auto clicked = draw_drawer_tabs(labels, static_cast<int>(shown), left_top, width, theme, ui_scale);
  return clicked ? std::optional<Tab>(static_cast<Tab>(*clicked)) : std::nullopt;
}

}  // namespace kino
