// Covers: range_table
// The sums of a marked range as a table.
#include "core/tables/analysis/range_table.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/table_cells.hpp"
#include "tests/fixtures/trace_fixture.hpp"

using namespace kino;

namespace {

std::shared_ptr<const Trace> three_names() {
  TraceFixture rows;
  rows.add_row({{0, 100, 0}, {200, 10, 1}, {300, 10, 1}, {400, 40, 2}});
  rows.add_row({{0, 30, 2}, {900, 500, 0}});
  return rows.build();
}

Table table_of(const Trace& trace, TimeRange range) {
  return range_table(trace, summarize_range(trace, range).value());
}

std::vector<std::string> names_of(const Table& table, const std::vector<std::uint32_t>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const std::uint32_t row : rows) names.push_back(kino_test::text(table, "name", row));
  return names;
}

std::size_t place_of(const Table& table, std::string_view key) {
  std::size_t place = 0;
  while (table.columns[place].key != key) ++place;
  return place;
}

}  // namespace

TEST_CASE("lists names of a range by total, or sorted by several columns") {
  using Names = std::vector<std::string>;
  const auto trace = three_names();
  const Table table = table_of(*trace, {0, 1000});
  CHECK(names_of(table, ordered_rows(table, {})) == Names{"name 0", "name 2", "name 1"});
  const std::vector<TableOrder> by_count{{place_of(table, "count"), true},
                                         {place_of(table, "min_ns"), false}};
  CHECK(names_of(table, ordered_rows(table, by_count)) == Names{"name 1", "name 2", "name 0"});
  const std::vector<ColumnFilter> long_ones{{place_of(table, "max_ns"), "> 50 ns"}};
  CHECK(names_of(table, ordered_rows(table, {}, "", long_ones)) == Names{"name 0"});
  CHECK(names_of(table, ordered_rows(table, {}, "NAME 1")) == Names{"name 1"});
}

TEST_CASE("links a name to its longest slice in the range, the first of equals") {
  const auto trace = three_names();
  const Table before = table_of(*trace, {0, 950});
  CHECK(before.slice_of(0) == SliceId{0});
  CHECK(before.slice_of(2) == SliceId{1});
  CHECK(table_of(*trace, {0, 1200}).slice_of(0) == SliceId{5});
  CHECK(table_of(*trace, {110, 150}).row_count() == 0);
}

TEST_CASE("exports kinds and calls, with shares of the range and of GPU time") {
  const auto trace = three_names();
  const Table table = table_of(*trace, {0, 1000});
  CHECK(table.find("kind")->export_only);
  CHECK(kino_test::integer(table, "calls", 2) == 2);
  CHECK(kino_test::integer(table, "total_ns", 2) == 20);
  CHECK(kino_test::number(table, "mean_ns", 2) == 10);
  CHECK(kino_test::number(table, "share_of_range", 2) == doctest::Approx(0.02));
  const bool on_gpu = is_gpu_work(trace->slices.kind[1]);
  CHECK(std::isnan(kino_test::number(table, "share_of_gpu_time", 2)) != on_gpu);
}
