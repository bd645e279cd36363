// Covers: table_selection
#include "app/ui/tables/table_selection.hpp"

#include <memory>
#include <vector>

#include <doctest/doctest.h>

using namespace kino;

TEST_CASE("selected rows are in the order shown, without filtered ones, and have totals by column") {
  auto answer = std::make_shared<TableResult>();
  answer->table.add_texts("name", "Name", "Of a row") = {"a", "b", "c", "d"};
  answer->table.add_integers("count", "Count", Unit::count, "Of a row") = {1, 20, 300, kNoInteger};
  const SelectedRows selected = selected_rows(answer, {3, 2, 0}, {1, 1, 1, 1});
  CHECK(selected.rows == std::vector<std::uint32_t>{3, 2, 0});
  REQUIRE(selected.totals.size() == 2);
  CHECK(selected.totals[1].sum == 301);
  CHECK(selected.totals[1].count == 2);
  CHECK(selected_rows(answer, {3, 2, 0}, {0, 1, 0, 0}).rows.empty());
}
