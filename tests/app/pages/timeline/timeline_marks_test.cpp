// Covers: timeline_marks
// Check marks of menu items while a timeline is shown.
#include "app/pages/timeline/timeline_marks.hpp"

#include <memory>

#include <doctest/doctest.h>

using kino::CommandId;
using kino::has_mark;

TEST_CASE("a command has a check mark while its view is on") {
  kino::TimelineState shown(std::make_shared<const kino::Trace>());
  shown.drawer.open = true;
  shown.drawer.page = kino::drawer_page::kHits;
  CHECK(has_mark(shown, CommandId::toggle_drawer));
  CHECK(has_mark(shown, CommandId::list_hits));
  CHECK_FALSE(has_mark(shown, CommandId::show_tables));
  CHECK_FALSE(has_mark(shown, CommandId::fit_all));
  shown.drawer.open = false;
  CHECK_FALSE(has_mark(shown, CommandId::list_hits));
  CHECK(has_mark(shown, CommandId::show_idle));
  CHECK_FALSE(has_mark(shown, CommandId::fold_layers));
  shown.arrangement.layers_folded = true;
  CHECK(has_mark(shown, CommandId::fold_layers));
  shown.idle_band = false;
  CHECK_FALSE(has_mark(shown, CommandId::show_idle));
}
