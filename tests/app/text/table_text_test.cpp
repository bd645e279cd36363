// Cells of tables as text.
#include "app/text/table_text.hpp"

#include <doctest/doctest.h>

using namespace kino;

TEST_CASE("ids and times beyond 2^53 are shown to the last digit") {
  Table table;
  table.add_integers("ts", "ts", Unit::id, "") = {1'700'000'000'000'350'001, -3, kNoInteger};
  const TableColumn& ts = *table.find("ts");
  CHECK(cell_text(ts, 0) == "1700000000000350001");
  CHECK(cell_text(ts, 1) == "-3");
  CHECK(cell_text(ts, 2).empty());
}
