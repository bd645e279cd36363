// Covers: table
// Tables sort by several columns, filter by text, and put missing values last.
#include "core/tables/table.hpp"

#include <doctest/doctest.h>

namespace {

kino::Table small_table() {
  kino::Table table;
  table.add_texts("name", "Name", "") = {"gemm", "add", "Gemm two", "copy"};
  table.add_integers("calls", "Calls", kino::Unit::count, "") = {3, kino::kNoInteger, 3, 5};
  table.add_numbers("mean", "Mean", kino::Unit::ns, "") = {2.5, 1, 1.5, kino::kNoNumber};
  return table;
}

using Rows = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("sorts rows by several columns, with missing values last in both directions") {
  const kino::Table table = small_table();
  CHECK(kino::ordered_rows(table, {}) == Rows{0, 1, 2, 3});
  CHECK(kino::ordered_rows(table, {{1, true}, {2, false}}) == Rows{3, 2, 0, 1});
  CHECK(kino::ordered_rows(table, {{1, false}}) == Rows{0, 2, 3, 1});
  CHECK(kino::ordered_rows(table, {{2, true}}) == Rows{0, 2, 1, 3});
  CHECK(kino::ordered_rows(table, {{0, false}}) == Rows{2, 1, 3, 0});
}

TEST_CASE("filters texts and ignores case") {
  CHECK(kino::ordered_rows(small_table(), {}, "GEMM") == Rows{0, 2});
  CHECK(kino::ordered_rows(small_table(), {}, "nothing").empty());
}

TEST_CASE("finds columns by key, and has no rows if empty") {
  const kino::Table table = small_table();
  REQUIRE(table.find("mean") != nullptr);
  CHECK(table.find("mean")->unit == kino::Unit::ns);
  CHECK(table.find("absent") == nullptr);
  CHECK(kino::Table{}.row_count() == 0);
  CHECK(kino::ordered_rows(kino::Table{}, {}).empty());
}

TEST_CASE("links a row to one or several targets, in its own recording or another") {
  using kino::RowLink;
  kino::Table table;
  table.add_texts("name", "Name", "x") = {"a", "b"};
  CHECK(table.links_of(0).empty());
  CHECK(table.slice_of(1) == kino::kNoSlice);
  table.links = {kino::SliceId{3}, kino::TimeRange{5, 9}, kino::kNoSlice, kino::TimeRange{1, 2}};
  REQUIRE(table.links_of(1).size() == 2);
  CHECK(table.links_of(2).empty());
  CHECK(table.slice_of(0) == kino::SliceId{3});
  CHECK(table.slice_of(1) == kino::kNoSlice);
  REQUIRE(table.link_of(1, RowLink::Kind::range) != nullptr);
  CHECK(table.link_of(1, RowLink::Kind::range)->range() == kino::TimeRange{1, 2});
  CHECK(table.link_of(1, RowLink::Kind::range, 1) == nullptr);
  table.links = {{kino::AllocationId{7}, 0},
                 {kino::AllocationId{8}, 1},
                 RowLink::to_moment(4),
                 RowLink::to_recording(2)};
  CHECK(table.allocation_of(0) == kino::AllocationId{7});
  CHECK(table.allocation_of(0, 1) == kino::AllocationId{8});
  CHECK(table.allocation_of(1) == kino::kNoAllocation);
  CHECK(table.link_of(1, RowLink::Kind::moment)->moment() == 4);
  CHECK(table.link_of(1, RowLink::Kind::recording, 2) != nullptr);
}
