// The open menus and their chosen rows, moved by keys and the mouse. Independent of Dear ImGui.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/shell/menus/menu_list.hpp"

namespace kino {

class MenuCursor {
 public:
  struct Level {
    Menu menu{};
    std::optional<std::size_t> chosen;  ///< index of the chosen row
  };

  /// Opens a menu, with its first row chosen or none. The caller has no rows of its own until set_extra().
  void open(Menu root, bool choose_first);
  void close() { levels_.clear(); }
  bool is_open() const { return !levels_.empty(); }
  /// The open menus, outermost first.
  const std::vector<Level>& levels() const { return levels_; }
  /// Sets the number of rows that the caller draws below the rows of the outermost menu. Their indices follow
  /// those of the menu's rows.
  void set_extra(std::size_t rows) { extra_ = rows; }

  /// Moves the choice by `rows` in the innermost menu, wrapping around. If no row is chosen, 1 chooses the
  /// first row and -1 the last.
  void step(int rows);
  /// Chooses the first or the last row of the innermost menu.
  void step_to_end(bool last);
  /// Opens the submenu of the chosen row with its first row chosen. Returns false if there is none.
  bool enter();
  /// Closes the innermost menu, unless it is the only one.
  void leave();
  /// Chooses a row by the mouse: closes the menus inside of `level`, and opens the row's submenu without a
  /// chosen row. If `row` is nullopt, no row is chosen.
  void point(std::size_t level, std::optional<std::size_t> row);
  /// The chosen row of the innermost menu; nullopt if there is none, or if it is a row of the caller.
  std::optional<MenuItem> chosen() const;
  /// Index of the chosen row of the caller; nullopt if another row is chosen.
  std::optional<std::size_t> chosen_extra() const;

 private:
  std::size_t rows_of(std::size_t level) const;

  std::vector<Level> levels_;
  std::size_t extra_ = 0;
};

}  // namespace kino
