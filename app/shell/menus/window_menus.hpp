// The menus of the window bar: all commands, Open with the recent files, and Share.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <imgui.h>

#include "app/shell/menus/menu_view.hpp"
#include "app/shell/menus/recent_list.hpp"
#include "app/shell/settings/recent_files.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// UI thread only.
class WindowMenus {
 public:
  /// Positions below the buttons of the menus.
  struct Places {
    MenuView::Place main;
    MenuView::Place open;
    MenuView::Place share;
  };

  /// Opens the menu `main`, `open` or `share` from the next draw() on. `by_key`: its first row is chosen.
  void open(Menu menu, bool by_key) { view_.open(menu, by_key); }
  /// Opens the menu `open` with the newest recent file chosen.
  void open_recent();
  bool is_open() const { return view_.is_open(); }
  /// Draws the open menu and runs the command that is taken. Call outside of other windows.
  RecentActions draw(const Places& places, const RecentFiles& recent, Commands& commands,
                     const MenuSubject& subject, const Theme& theme, float scale);

  /// The open menu and its rows, for tests.
  const MenuView& view() const { return view_; }
  /// Centers of the recent files drawn last, for tests.
  const std::vector<ImVec2>& recent_places() const { return recent_places_; }

 private:
  MenuExtra recent_rows(const RecentFiles& recent, float top, const Theme& theme, float scale,
                        RecentActions& actions);
  /// Returns whether to close the menu.
  bool draw_recent(const Box& box, std::optional<std::size_t> chosen, const RecentFiles& recent,
                   const Theme& theme, float scale, RecentActions& actions);

  MenuView view_;
  std::vector<ImVec2> recent_places_;
};

}  // namespace kino
