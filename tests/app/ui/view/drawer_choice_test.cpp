// Covers: drawer_choice
#include "app/ui/view/drawer_choice.hpp"

#include <doctest/doctest.h>

namespace {

using kino::DrawerChoice;
namespace page = kino::drawer_page;

TEST_CASE("a page that filled the window leaves the drawer as it was before") {
  DrawerChoice closed;
  closed.fill(page::kTables);
  CHECK(closed.shows(page::kTables));
  CHECK(closed.fills());
  closed.fill(page::kSql);
  closed.leave_full();
  CHECK_FALSE(closed.open);
  CHECK_FALSE(closed.fills());

  DrawerChoice open{.open = true, .page = page::kFlame};
  open.fill(page::kSql);
  open.leave_full();
  CHECK(open.shows(page::kFlame));
  open.leave_full();
  CHECK(open.shows(page::kFlame));
}

TEST_CASE("closing the drawer ends the full size, so that it opens docked") {
  DrawerChoice choice;
  choice.fill(page::kTables);
  choice.toggle_open();
  CHECK_FALSE(choice.open);
  CHECK(choice.refused);
  choice.toggle_open();
  CHECK(choice.shows(page::kTables));
  CHECK_FALSE(choice.fills());
  CHECK_FALSE(choice.refused);
}

TEST_CASE("the tabs remain visible while the drawer is closed, unless there is no room") {
  DrawerChoice choice;
  CHECK(choice.height(270, 28, 600) == 28);
  CHECK(choice.height(270, 28, 10) == 10);
  choice.show(page::kTables);
  CHECK(choice.height(270, 28, 600) == 270);
  CHECK(choice.height(0, 28, 600) == 28);
  choice.fill(page::kTables);
  CHECK(choice.height(270, 28, 600) == 600);
}

TEST_CASE("a page has a fixed share of the height until the user changes its height") {
  DrawerChoice choice;
  choice.show(page::kFlame);
  CHECK(choice.wanted_height(1000, 1) == 270);
  choice.set_height(200);
  CHECK(choice.wanted_height(1000, 2) == 400);
  choice.show(page::kSql);
  CHECK_FALSE(choice.own_height().has_value());
  CHECK(choice.wanted_height(1000, 1) == 420);
  choice.show(page::kFlame);
  CHECK(choice.own_height() == 200);
}

TEST_CASE("a page shows rows in a small pane, and leaves room for the plot in a tiny one") {
  DrawerChoice choice;
  choice.show(page::kTables);
  CHECK(choice.wanted_height(400, 1) == 220);
  CHECK(choice.wanted_height(1000, 2) == 440);
  CHECK(choice.wanted_height(200, 1) == 120);
}

TEST_CASE("each tab of a page has its own height, and pages without these tabs ignore it") {
  DrawerChoice choice;
  choice.show(page::kTables);
  choice.tab = "kernels";
  choice.set_height(150);
  choice.tab = "gaps";
  CHECK_FALSE(choice.own_height().has_value());
  choice.show(page::kFlame);
  CHECK(choice.height_key() == page::kFlame);
  choice.show(page::kTables);
  choice.tab = "kernels";
  CHECK(choice.own_height() == 150);
}

}  // namespace
