// Covers: menu_list
// Every command has one place in the menus, and an entry that cannot run has a reason.
#include "app/shell/menus/menu_list.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <imgui.h>

using kino::CommandId;
using kino::items_of;
using kino::Menu;
using kino::MenuItem;
using kino::PageKind;

namespace {

/// Counts the rows of each command in a menu and its submenus.
void count_commands(Menu menu, std::map<CommandId, int>& counts) {
  for (const MenuItem& item : items_of(menu)) {
    if (item.command) ++counts[*item.command];
    if (item.submenu != Menu::none) count_commands(item.submenu, counts);
  }
}

}  // namespace

TEST_CASE("every command is in exactly one place: the main menu, a context menu, or the window bar") {
  std::map<CommandId, int> in_main;
  count_commands(Menu::main, in_main);
  std::map<CommandId, int> elsewhere;
  for (const Menu menu : {Menu::slice, Menu::tab, Menu::window_bar}) count_commands(menu, elsewhere);
  for (const kino::CommandInfo& command : kino::all_commands()) {
    CAPTURE(command.name);
    CHECK(in_main[command.id] + elsewhere[command.id] == 1);
  }
  const std::set<CommandId> outside{
      CommandId::slice_menu,     CommandId::copy_selection,   CommandId::copy_name,
      CommandId::copy_arguments, CommandId::copy_stack,       CommandId::find_same_name,
      CommandId::show_same_name, CommandId::reveal_in_folder, CommandId::copy_path,
      CommandId::main_menu,      CommandId::share_menu};
  for (const auto& [command, count] : elsewhere) {
    if (count > 0) CHECK(outside.contains(command));
  }
}

TEST_CASE("the main menu has six menus, and no menu is empty or too long for a small window") {
  std::vector<std::string_view> names;
  for (const MenuItem& item : items_of(Menu::main)) {
    CHECK_FALSE(item.command.has_value());
    names.push_back(kino::name_of(item.submenu));
  }
  CHECK(names == std::vector<std::string_view>{"file", "view", "go", "tools", "help", "settings"});
  std::set<Menu> seen;
  std::vector<Menu> open{Menu::main, Menu::share, Menu::open};
  while (!open.empty()) {
    const Menu menu = open.back();
    open.pop_back();
    if (!seen.insert(menu).second) continue;
    CAPTURE(kino::name_of(menu));
    CHECK_FALSE(items_of(menu).empty());
    CHECK(items_of(menu).size() <= 26);
    CHECK_FALSE(items_of(menu).front().line_above);
    for (const MenuItem& item : items_of(menu)) {
      if (item.submenu != Menu::none) open.push_back(item.submenu);
    }
  }
}

TEST_CASE("groups of rows are between lines, and belong to the menu around them") {
  const auto file = items_of(Menu::file);
  const auto recent = std::ranges::find(file, std::optional(CommandId::recent_files), &MenuItem::command);
  REQUIRE(recent != file.end());
  CHECK(recent->line_above);  // after the group `open`
  CHECK_FALSE(std::next(recent)->line_above);
  CHECK(file.back().command == CommandId::quit);
  CHECK(file.back().line_above);
  CHECK(kino::menu_of(CommandId::open_files) == Menu::file);
  CHECK(kino::menu_of(CommandId::save_table) == Menu::share);
  CHECK(kino::root_of(kino::menu_of(CommandId::bookmark_3)) == Menu::main);
  CHECK(kino::root_of(Menu::tab) == Menu::tab);
  // The button Open shows the group alone.
  CHECK(items_of(Menu::open).front().command == CommandId::open_files);
}

TEST_CASE("a command that cannot run has the reason of its page, its kind of page, or its row") {
  ImGui::CreateContext();
  kino::Commands commands{kino::Keymap()};
  bool free = false;
  commands.bind(CommandId::reload, {[] {}, [&] { return free; }});
  const auto reason = [&](CommandId command, PageKind page) {
    commands.begin_frame({.window = false, .page = page}, 0);
    return kino::unavailable_reason(command, commands, page);
  };
  CHECK(reason(CommandId::next_rank, PageKind::none) == kino::Text::menu_needs_file);
  CHECK(reason(CommandId::next_rank, PageKind::timeline) == kino::Text::menu_needs_job);
  CHECK(reason(CommandId::next_rank, PageKind::job) == std::nullopt);
  CHECK(reason(CommandId::save_png, PageKind::hang) == kino::Text::menu_not_here);
  CHECK(reason(CommandId::reload, PageKind::timeline) == kino::Text::menu_needs_file);
  free = true;
  CHECK(reason(CommandId::reload, PageKind::timeline) == std::nullopt);
  CHECK(reason(CommandId::toggle_inspector, PageKind::none) == kino::Text::menu_needs_inspector);
  commands.begin_frame({.window = false, .page = PageKind::job}, 0);
  commands.end_page(true);  // the page handles no command
  commands.begin_frame({.window = false, .page = PageKind::job}, 0);
  CHECK(kino::unavailable_reason(CommandId::save_png, commands, PageKind::job) ==
        kino::Text::menu_needs_picture);
  CHECK(kino::unavailable_reason(CommandId::pack, commands, PageKind::job) ==
        kino::Text::menu_needs_recording);
  ImGui::DestroyContext();
}
