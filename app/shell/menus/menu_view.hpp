// Draws the open menus as panels beside each other, and moves in them by keys and the mouse.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/shell/menus/menu_cursor.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Rows that the caller draws below the rows of the outermost menu.
struct MenuExtra {
  std::size_t rows = 0;
  float width = 0;   ///< minimum width of the menu
  float height = 0;  ///< height of the caller's rows, including space around them
  /// Draws the rows into the box. `chosen` is the row that keys have chosen. Returns whether to close the
  /// menu. Empty if the caller draws nothing.
  std::function<bool(const Box& box, std::optional<std::size_t> chosen)> draw = {};
};

/// The page that the commands of a menu are about.
struct MenuSubject {
  PageKind page{};
  std::string device = "GPU";  ///< see Page::device_word()
};

/// One popup at a time. UI thread only.
class MenuView {
 public:
  struct Result {
    std::optional<CommandId> command;
    std::optional<std::size_t> extra;  ///< row of MenuExtra that was taken by a key
  };
  /// Position of a menu: its upper left corner or, if `from_right`, its upper right one.
  struct Place {
    ImVec2 corner{};
    bool from_right = false;
  };
  /// A row of the last frame, for tests.
  struct Drawn {
    std::string name;  ///< name of the command or submenu
    ImVec2 center{};
    bool available = true;
    bool chosen = false;
    std::string reason;  ///< why it is unavailable
  };

  /// Opens a menu from the next draw() on. `by_key`: the first row is chosen.
  void open(Menu root, bool by_key);
  void close() { cursor_.close(); }
  bool is_open() const { return cursor_.is_open(); }
  /// The menu that is open; Menu::none if there is none.
  Menu root() const { return is_open() ? cursor_.levels().front().menu : Menu::none; }
  /// Chooses a row of MenuExtra.
  void choose_extra(std::size_t row) { first_extra_ = row; }

  /// Draws the open menu. Call outside of other windows. Returns the row that was taken, which closes the
  /// menu. The key of `toggle` closes it as well.
  Result draw(Place place, CommandId toggle, const MenuExtra& extra, const Commands& commands,
              const MenuSubject& subject, const Theme& theme);

  const std::vector<Drawn>& drawn() const { return drawn_; }

 private:
  class Panels;

  /// Moves the cursor by the keys of this frame. Returns the row that Enter or Space takes, even if it is
  /// unavailable.
  Result move_by_keys();

  MenuCursor cursor_;
  bool appearing_ = false;
  bool moved_by_key_ = false;  // in this frame
  std::optional<std::size_t> first_extra_;
  std::vector<float> scroll_px_;  // by level
  std::vector<Drawn> drawn_;
};

}  // namespace kino
