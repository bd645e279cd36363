#include "app/shell/menus/menu_cursor.hpp"

namespace kino {

void MenuCursor::open(Menu root, bool choose_first) {
  levels_.assign(1, {root, choose_first ? std::optional<std::size_t>(0) : std::nullopt});
  extra_ = 0;
}

std::size_t MenuCursor::rows_of(std::size_t level) const {
  return items_of(levels_[level].menu).size() + (level == 0 ? extra_ : 0);
}

void MenuCursor::step(int rows) {
  if (!is_open()) return;
  const auto count = static_cast<int>(rows_of(levels_.size() - 1));
  if (count == 0) return;
  std::optional<std::size_t>& chosen = levels_.back().chosen;
  const int from = chosen ? static_cast<int>(*chosen) : rows > 0 ? -1 : count;
  chosen = static_cast<std::size_t>((from + rows % count + count) % count);
}

void MenuCursor::step_to_end(bool last) {
  if (!is_open()) return;
  const std::size_t count = rows_of(levels_.size() - 1);
  if (count > 0) levels_.back().chosen = last ? count - 1 : 0;
}

bool MenuCursor::enter() {
  const std::optional<MenuItem> item = chosen();
  if (!item || item->submenu == Menu::none) return false;
  levels_.push_back({item->submenu, 0});
  return true;
}

void MenuCursor::leave() {
  if (levels_.size() > 1) levels_.pop_back();
}

void MenuCursor::point(std::size_t level, std::optional<std::size_t> row) {
  if (level >= levels_.size()) return;
  // If the pointer returns to the row of an open submenu, only menus inside of the submenu are closed.
  const bool same = levels_[level].chosen == row && level + 1 < levels_.size();
  levels_.resize(level + (same ? 2 : 1));
  if (same) {
    levels_.back().chosen.reset();
    return;
  }
  levels_[level].chosen = row;
  const std::optional<MenuItem> item = chosen();
  if (item && item->submenu != Menu::none) levels_.push_back({item->submenu, std::nullopt});
}

std::optional<MenuItem> MenuCursor::chosen() const {
  if (!is_open() || !levels_.back().chosen) return std::nullopt;
  const std::span<const MenuItem> items = items_of(levels_.back().menu);
  const std::size_t row = *levels_.back().chosen;
  return row < items.size() ? std::optional(items[row]) : std::nullopt;
}

std::optional<std::size_t> MenuCursor::chosen_extra() const {
  if (levels_.size() != 1 || !levels_.back().chosen) return std::nullopt;
  const std::size_t own = items_of(levels_.back().menu).size();
  const std::size_t row = *levels_.back().chosen;
  return row >= own ? std::optional(row - own) : std::nullopt;
}

}  // namespace kino
