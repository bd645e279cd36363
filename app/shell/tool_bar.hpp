// The window bar: the buttons of its menus, the tabs of the documents, and the place of the search box.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/shell/documents/session.hpp"
#include "app/shell/menus/window_menus.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// The clicks of one frame.
struct ToolBarActions {
  std::optional<Menu> menu;  ///< the menu whose button was clicked
  bool toggle_help = false;
  std::optional<std::size_t> activate;
  std::optional<std::size_t> close;
  std::optional<std::size_t> reveal;
  std::optional<std::size_t> copy_path;
  std::optional<std::size_t> reload;
};

struct ToolBar {
  /// Draws the bar as one line across the current window. `beside` is the serial of the document in the other
  /// pane, or 0 if there is one pane. `open` is the menu that is open; Menu::none if there is none.
  ToolBarActions draw(const Session& session, std::uint64_t beside, Menu open, const Keymap& keys,
                      const Theme& theme, float scale);

  Box box;                         ///< place left free for the search box in the last draw()
  WindowMenus::Places menus;       ///< positions of the menus below their buttons in the last draw()
  std::uint64_t shown_serial = 0;  ///< serial of the document whose tab was last scrolled into view
  /// Centers of the buttons drawn last by name, for tests.
  std::vector<std::pair<std::string, ImVec2>> places;
};

}  // namespace kino
