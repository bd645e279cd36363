// Covers: menu_cursor
// Keys and the mouse move through nested menus.
#include "app/shell/menus/menu_cursor.hpp"

#include <doctest/doctest.h>

using kino::CommandId;
using kino::items_of;
using kino::Menu;
using kino::MenuCursor;

TEST_CASE("arrows move around the rows, open a submenu and leave it again") {
  MenuCursor cursor;
  CHECK_FALSE(cursor.is_open());
  cursor.step(1);
  CHECK_FALSE(cursor.enter());
  cursor.open(Menu::main, true);
  CHECK(cursor.chosen()->submenu == Menu::file);
  cursor.step(-1);
  CHECK(cursor.chosen()->submenu == Menu::settings);
  cursor.step(1);
  CHECK(cursor.chosen()->submenu == Menu::file);
  CHECK(cursor.enter());
  CHECK(cursor.chosen()->command == CommandId::open_files);
  CHECK_FALSE(cursor.enter());
  cursor.step_to_end(true);
  CHECK(cursor.chosen()->command == CommandId::quit);
  cursor.leave();
  CHECK(cursor.chosen()->submenu == Menu::file);
  cursor.leave();
  CHECK(cursor.levels().size() == 1);
  cursor.close();
  CHECK_FALSE(cursor.is_open());
}

TEST_CASE("a menu that the mouse opened has no chosen row until a key is pressed") {
  MenuCursor cursor;
  cursor.open(Menu::share, false);
  CHECK_FALSE(cursor.chosen().has_value());
  cursor.step(1);
  CHECK(cursor.chosen()->command == CommandId::copy_verdict);
  cursor.open(Menu::share, false);
  cursor.step(-1);
  CHECK(cursor.chosen()->command == CommandId::save_trimmed);
}

TEST_CASE("the mouse opens the submenu of a row and closes the others") {
  MenuCursor cursor;
  cursor.open(Menu::main, false);
  cursor.point(0, 1);
  REQUIRE(cursor.levels().size() == 2);
  CHECK(cursor.levels().back().menu == Menu::view);
  CHECK_FALSE(cursor.chosen().has_value());
  cursor.point(1, 0);
  CHECK(cursor.levels().size() == 3);
  cursor.point(0, 1);  // back on the row of the open submenu
  CHECK(cursor.levels().size() == 2);
  cursor.point(0, 4);
  CHECK(cursor.levels().back().menu == Menu::help);
  cursor.point(0, std::nullopt);
  CHECK(cursor.levels().size() == 1);
  cursor.point(7, 0);
  CHECK(cursor.levels().size() == 1);
}

TEST_CASE("rows of the caller follow the rows of the outermost menu") {
  MenuCursor cursor;
  cursor.open(Menu::open, true);
  cursor.set_extra(2);
  cursor.step_to_end(true);
  CHECK(cursor.chosen_extra() == 1);
  CHECK_FALSE(cursor.chosen().has_value());
  CHECK_FALSE(cursor.enter());
  cursor.step(-2);
  CHECK_FALSE(cursor.chosen_extra().has_value());
  CHECK(cursor.chosen()->command == items_of(Menu::open).back().command);
  cursor.step(4);
  CHECK(cursor.chosen()->command == items_of(Menu::open)[1].command);
}
