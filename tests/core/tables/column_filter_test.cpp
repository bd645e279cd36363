// Covers: column_filter, column_totals
// Conditions on columns as users type them, and totals of rows.
#include "core/tables/column_filter.hpp"

#include <doctest/doctest.h>

#include "core/tables/column_totals.hpp"

namespace {

using kino::interval_from_text;
using kino::Unit;
using List = std::vector<std::uint32_t>;

kino::Table kernels_table() {
  kino::Table table;
  table.add_texts("name", "Name", "") = {"gemm", "add", "Gemm two", "copy"};
  table.add_integers("total_ns", "Total", Unit::ns, "") = {3'000, kino::kNoInteger, 12'345'678, 5'000'000};
  table.add_numbers("share", "Share", Unit::share, "") = {0.5, 0.25, 0.125, kino::kNoNumber};
  return table;
}

bool holds(std::string_view text, Unit unit, double value) {
  const auto interval = interval_from_text(text, unit);
  REQUIRE(interval);
  return interval->holds(value);
}

}  // namespace

TEST_CASE("compares numbers by relation, interval or displayed value") {
  CHECK(holds("> 10us", Unit::ns, 10'001));
  CHECK_FALSE(holds(">10us", Unit::ns, 10'000));
  CHECK(holds(">= 10 us", Unit::ns, 10'000));
  CHECK(holds("<3", Unit::count, 2));
  CHECK_FALSE(holds("<3", Unit::count, 3));
  CHECK(holds("<=2K", Unit::count, 2'000));
  CHECK(holds("1ms..2ms", Unit::ns, 1'500'000));
  CHECK_FALSE(holds("1ms..2ms", Unit::ns, 2'500'000));
  CHECK(holds("..50%", Unit::share, 0.5));
  CHECK(holds(">1MiB", Unit::bytes, 1'048'577));
  CHECK(holds("12.35 ms", Unit::ns, 12'345'678));
  CHECK_FALSE(holds("12.4 ms", Unit::ns, 12'345'678));
  for (const char* text : {"", "ten", ">", "..", "5 GB", "1..x", "nan", "> inf"}) {
    CAPTURE(text);
    CHECK_FALSE(interval_from_text(text, Unit::ns));
  }
}

TEST_CASE("combines all filters, and excludes rows without a value") {
  const kino::Table table = kernels_table();
  CHECK(kino::ordered_rows(table, {}, {}, {{0, "GEMM"}}) == List{0, 2});
  CHECK(kino::ordered_rows(table, {}, {}, {{0, "!gemm"}}) == List{1, 3});
  CHECK(kino::ordered_rows(table, {}, {}, {{1, ">1"}}) == List{0, 2, 3});
  CHECK(kino::ordered_rows(table, {}, {}, {{1, ">1ms"}, {2, "<50%"}}) == List{2});
  CHECK(kino::ordered_rows(table, {}, {}, {{1, "what"}}) == List{0, 1, 2, 3});
  CHECK(kino::ordered_rows(table, {}, "two", {{1, ">1"}}) == List{2});
}

TEST_CASE("sums the rows that have a value") {
  const kino::Table table = kernels_table();
  const List rows{0, 1, 3};
  const auto totals = kino::totals_of(table.columns[1], rows);
  CHECK(totals.count == 2);
  CHECK(totals.sum == 5'003'000);
  CHECK(totals.mean() == 2'501'500);
  CHECK(totals.least == 3'000);
  CHECK(totals.greatest == 5'000'000);
  CHECK(kino::totals_of(table.columns[0], rows).count == 0);
  CHECK(kino::adds_up(table.columns[1]));
  CHECK_FALSE(kino::adds_up(table.columns[2]));
  CHECK_FALSE(kino::adds_up(table.columns[0]));
}
