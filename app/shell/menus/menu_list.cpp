#include "app/shell/menus/menu_list.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace kino {
namespace {

/// A row of menu.def. Groups have neither a command nor a title.
struct MenuRow {
  Menu menu{};  // menu or group that contains the row
  Menu id{};    // none for commands
  std::optional<CommandId> command;
  std::optional<Text> text;  // title of a menu, or reason of a command
};

constexpr MenuRow kRows[] = {
#define KINO_MENU(id, parent, title) {Menu::parent, Menu::id, std::nullopt, Text::title},
#define KINO_PART(id, parent) {Menu::parent, Menu::id, std::nullopt, std::nullopt},
#define KINO_ENTRY(command, menu, reason) {Menu::menu, Menu::none, CommandId::command, Text::reason},
#include "app/shell/menus/menu.def"
#undef KINO_MENU
#undef KINO_PART
#undef KINO_ENTRY
};

constexpr std::string_view kNames[] = {
    "none",
#define KINO_MENU(id, parent, title) #id,
#define KINO_PART(id, parent) #id,
#define KINO_ENTRY(command, menu, reason)
#include "app/shell/menus/menu.def"
#undef KINO_MENU
#undef KINO_PART
#undef KINO_ENTRY
};
constexpr std::size_t kMenuCount = std::size(kNames);

const MenuRow* row_of(Menu menu) {
  const auto* const row = std::ranges::find(kRows, menu, &MenuRow::id);
  return row != std::end(kRows) && menu != Menu::none ? row : nullptr;
}

/// Adds the rows of a menu or group. The first row, and the row after a group, begin a group.
void add_items(Menu menu, std::vector<MenuItem>& items) {
  bool line = !items.empty();
  for (const MenuRow& row : kRows) {
    if (row.menu != menu) continue;
    if (!row.command && !row.text) {
      add_items(row.id, items);
      line = true;
      continue;
    }
    const Text title = row.command ? info_of(*row.command).title : *row.text;
    items.push_back({row.command, row.id, title, line && !items.empty()});
    line = false;
  }
}

using Items = std::array<std::vector<MenuItem>, kMenuCount>;

Items all_items() {
  Items items;
  for (std::size_t i = 1; i < kMenuCount; ++i) add_items(static_cast<Menu>(i), items[i]);
  return items;
}

/// Returns the reason why a command of this scope, which does not include the page, is unavailable.
Text scope_reason(CommandScope scope, PageKind page) {
  using Reach = CommandScope::Reach;
  if (page == PageKind::none) return Text::menu_needs_file;
  if (scope.reach() != Reach::page) return Text::menu_not_here;
  switch (scope.page()) {
    case PageKind::timeline:
      return Text::menu_needs_trace;
    case PageKind::snapshot:
      return Text::menu_needs_snapshot;
    case PageKind::job:
      return Text::menu_needs_job;
    case PageKind::comparison:
      return Text::menu_needs_comparison;
    case PageKind::snapshots:
      return Text::menu_needs_set;
    case PageKind::ledger:
      return Text::menu_needs_ledger;
    case PageKind::layers:
      return Text::menu_needs_layers;
    case PageKind::critical:
      return Text::menu_needs_critical;
    case PageKind::serving:
      return Text::menu_needs_serving;
    case PageKind::none:
    case PageKind::hang:
      break;
  }
  return Text::menu_not_here;
}

}  // namespace

std::span<const MenuItem> items_of(Menu menu) {
  static const Items items = all_items();
  return items[static_cast<std::size_t>(menu)];
}

std::string_view name_of(Menu menu) { return kNames[static_cast<std::size_t>(menu)]; }

Menu menu_of(CommandId command) {
  const auto* const found = std::ranges::find(kRows, std::optional(command), &MenuRow::command);
  if (found == std::end(kRows)) return Menu::none;
  Menu menu = found->menu;
  for (const MenuRow* row = row_of(menu); row != nullptr && !row->text; row = row_of(menu)) menu = row->menu;
  return menu;
}

Menu root_of(Menu menu) {
  const MenuRow* row = row_of(menu);
  while (row != nullptr && row->menu != Menu::none) {
    menu = row->menu;
    row = row_of(menu);
  }
  return menu;
}

std::optional<Text> unavailable_reason(CommandId command, const Commands& commands, PageKind page) {
  if (commands.has_effect(command)) return std::nullopt;
  const CommandScope scope = info_of(command).scope;
  if (!scope.applies_to(page)) return scope_reason(scope, page);
  const auto* const row = std::ranges::find(kRows, std::optional(command), &MenuRow::command);
  return row != std::end(kRows) ? *row->text : Text::menu_not_now;
}

}  // namespace kino
