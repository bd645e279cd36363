// Covers: time_column
#include "app/ui/widgets/time_column.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "app/ui/text/table_text.hpp"
#include "core/base/time_text.hpp"

using kino::TableColumn;
using kino::TimeColumn;
using kino::Unit;

namespace {

TableColumn column_of(Unit unit, std::vector<std::int64_t> values) {
  TableColumn column;
  column.unit = unit;
  column.values = std::move(values);
  return column;
}

std::vector<std::string> time_cells(const TableColumn& column) {
  const auto format = TimeColumn::of(column);
  std::vector<std::string> cells;
  cells.reserve(column.size());
  for (std::uint32_t row = 0; row < column.size(); ++row)
    cells.push_back(kino::cell_text_in(format, column, row));
  return cells;
}

}  // namespace

TEST_CASE("the times of a column have one unit and as many decimals as its median needs for four digits") {
  using Cells = std::vector<std::string>;
  CHECK(time_cells(column_of(Unit::ns, {1'500'000, 350'000, -2'000'400})) ==
        Cells{"1.500 ms", "0.350 ms", "-2.000 ms"});
  CHECK(time_cells(column_of(Unit::ns, {12'345'678, 98'765'432, 20'000'000})) ==
        Cells{"12.35 ms", "98.77 ms", "20.00 ms"});
  CHECK(time_cells(column_of(Unit::ns, {250'000'000, 999'960'000, 120'000'000})) ==
        Cells{"250.0 ms", "1 000.0 ms", "120.0 ms"});
  CHECK(time_cells(column_of(Unit::ns, {17, 999, 0})) == Cells{"17 ns", "999 ns", "0 ns"});
}

TEST_CASE("a smaller unit is used if the median would have fewer than two digits") {
  using Cells = std::vector<std::string>;
  CHECK(time_cells(column_of(Unit::ns, {5'000'000'000, 3'000'000, 2'000'000})) ==
        Cells{"5 000.000 ms", "3.000 ms", "2.000 ms"});
  // At most six digits: the largest time would have 10 in us.
  CHECK(time_cells(column_of(Unit::ns, {5'000'000'000'000, 3'000, 2'000})) ==
        Cells{"5 000.000 s", "3 µs", "2 µs"});
}

TEST_CASE("the times of both sides of a comparison and their change have one unit") {
  kino::Table table;
  for (const char* const key : {"a_ns", "b_ns", "change_ns", "count_effect_ns"}) {
    const bool change = std::string_view(key) == "change_ns";
    table.columns.push_back(
        column_of(Unit::ns, change ? std::vector<std::int64_t>{2'289'000, 4'000, 3'000}
                                   : std::vector<std::int64_t>{9'000'000, 8'000'000, 7'000'000}));
    table.columns.back().key = key;
  }
  const auto formats = TimeColumn::all_of(table);
  REQUIRE(formats.size() == 4);
  REQUIRE(formats[2].has_value());
  CHECK(formats[0]->text(9'000'000) == "9.000 ms");
  CHECK(formats[2]->text(2'289'000) == "2.289 ms");
  CHECK(TimeColumn::of(table.columns[2])->text(2'289'000) == "2 289.000 µs");
}

TEST_CASE("a time that would be rounded to zero has its own unit, and missing times and zeros remain") {
  using Cells = std::vector<std::string>;
  CHECK(time_cells(column_of(Unit::ns, {8'000'000, 7'000'000, 40, 0, kino::kNoInteger})) ==
        Cells{"8.000 ms", "7.000 ms", "40 ns", "0.000 ms", ""});
}

TEST_CASE("sums of a column, and lists that are not tables, have the unit of the cells") {
  const TableColumn column = column_of(Unit::ns, {1'500'000, 350'000, 2'000'400});
  const auto format = TimeColumn::of(column);
  CHECK(kino::number_text_in(format, column, 3'850'400) == "3.850 ms");
  CHECK(kino::number_text_in(format, column, 2.5e9) == "2 500.000 ms");
  CHECK(kino::number_text_in(format, column, 1e300) == kino::number_text(Unit::ns, 1e300));
  const TableColumn counts = column_of(Unit::count, {1'234});
  CHECK(kino::number_text_in(TimeColumn::of(counts), counts, 7) == kino::number_text(Unit::count, 7));
  const std::vector<std::int64_t> ages{61'000'000'000, 59'990'000'000, 0, kino::kNoInteger};
  const auto of_ages = TimeColumn::of(ages);
  CHECK(kino::time_text_in(of_ages, ages[0]) == "61.00 s");
  CHECK(kino::time_text_in(of_ages, ages[1]) == "59.99 s");
  CHECK(kino::time_text_in(of_ages, 900'000'000) == "0.90 s");
  CHECK_FALSE(TimeColumn::of(std::vector<std::int64_t>{0}).has_value());
  CHECK(kino::time_text_in(std::nullopt, 350'000) == kino::text_from_duration(350'000));
}

TEST_CASE("other columns, and columns without times, have no common unit") {
  CHECK_FALSE(TimeColumn::of(column_of(Unit::count, {1, 2})).has_value());
  CHECK_FALSE(TimeColumn::of(column_of(Unit::ns, {0, kino::kNoInteger})).has_value());
  CHECK_FALSE(TimeColumn::of(column_of(Unit::ns, {})).has_value());
  const TableColumn counts = column_of(Unit::count, {1'234});
  CHECK(time_cells(counts) == std::vector<std::string>{kino::cell_text(counts, 0)});
}
