// The menus of the window bar as data: the rows of menu.def, and the reasons why a command is unavailable.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

/// Menus, and groups of rows inside of menus. Menus whose parent is `none` are not submenus.
enum class Menu : std::uint8_t {
  none,
#define KINO_MENU(id, parent, title) id,
#define KINO_PART(id, parent) id,
#define KINO_ENTRY(command, menu, reason)
#include "app/shell/menus/menu.def"
#undef KINO_MENU
#undef KINO_PART
#undef KINO_ENTRY
};

/// A row of an open menu: a command, or a menu that opens beside it.
struct MenuItem {
  std::optional<CommandId> command;
  Menu submenu = Menu::none;  ///< if there is no command
  Text title{};
  bool line_above = false;  ///< whether the row begins a group
};

/// Returns the rows of a menu from top to bottom; valid until the program ends.
std::span<const MenuItem> items_of(Menu menu);
/// Id of the menu in the state file of UI tests, such as "file".
std::string_view name_of(Menu menu);
/// Returns the menu that contains this command, directly or in a group.
Menu menu_of(CommandId command);
/// Returns the outermost menu that contains this menu; the menu itself if it has no parent.
Menu root_of(Menu menu);

/// Returns the reason why the command would have no effect now, while a page of this kind is shown. nullopt
/// if it has an effect.
std::optional<Text> unavailable_reason(CommandId command, const Commands& commands, PageKind page);

}  // namespace kino
