// Covers: plan_warnings
// Warnings on plans of queries.
#include "loaders/query/sql_text/plan_warnings.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using Sentences = std::vector<std::string>;

Sentences warned_of(const std::vector<kino::PlanLine>& plan, std::string_view sql = "SELECT 1") {
  return kino::english_texts(kino::plan_warnings(plan, sql, [](std::string_view table) {
    return table == "kept" ? std::optional<std::int64_t>(2'000'000) : std::nullopt;
  }));
}

std::string scan(std::string_view name, std::string_view table, std::int64_t rows) {
  return "SCAN " + std::string(name) + " VIRTUAL TABLE INDEX 0:" + kino::plan_mark(table, rows) + "3f";
}

}  // namespace

TEST_CASE("warns of a large table read for each row of another, and names both") {
  CHECK(
      warned_of({{2, 0, scan("k", "kernel", 385'000)}, {5, 0, scan("slice", "slice", 7'700'000)}}) ==
      Sentences{
          "For each of about 385 000 rows of kernel k, about 7 700 000 rows of slice are read. Join on an id "
          "with =, or store one side with CREATE PERFETTO TABLE, which adds an index. Use SPAN_JOIN for times "
          "that overlap"});
  // The same in a correlated subquery, which runs for each row.
  CHECK(warned_of({{2, 0, scan("kernel", "kernel", 385'000)},
                   {7, 0, "CORRELATED SCALAR SUBQUERY 1"},
                   {9, 7, scan("s", "slice", 7'700'000)}})
            .size() == 1);
}

TEST_CASE("does not warn of fast plans") {
  CHECK(warned_of({}).empty());
  CHECK(warned_of({{2, 0, scan("slice", "slice", 7'700'000)}}).empty());
  CHECK(warned_of({{2, 0, scan("a", "step", 10)}, {5, 0, scan("b", "kernel", 10'000)}}).empty());
  CHECK(warned_of({{2, 0, scan("k", "kernel", 385'000)}, {5, 0, scan("l", "slice", 1)}}).empty());
  // An uncorrelated subquery runs once.
  CHECK(warned_of({{2, 0, scan("kernel", "kernel", 385'000)},
                   {7, 0, "SCALAR SUBQUERY 1"},
                   {9, 7, scan("slice", "slice", 7'700'000)}})
            .empty());
  CHECK(warned_of({{2, 0, scan("a", "kernel", 900'000)}, {5, 0, "USE TEMP B-TREE FOR GROUP BY"}}).empty());
}

TEST_CASE("warns of sorting and indexing many rows, unless a limit leaves few") {
  const std::vector<kino::PlanLine> ordered{{2, 0, scan("slice", "slice", 7'700'000)},
                                            {9, 0, "USE TEMP B-TREE FOR ORDER BY"}};
  CHECK(
      warned_of(ordered, "SELECT * FROM slice ORDER BY dur") ==
      Sentences{"About 7 700 000 rows are sorted (ORDER BY). Filter them first, by ts, name or category. The "
                "table slice is already grouped by name, category, track_id, depth and kind"});
  CHECK(warned_of(ordered, "SELECT * FROM slice ORDER BY dur LIMIT 3").empty());
  CHECK(warned_of(ordered, "SELECT * FROM (SELECT * FROM slice LIMIT 9) ORDER BY dur").size() == 1);
  CHECK(warned_of({{2, 0, "SCAN k"}, {5, 0, "SEARCH t USING AUTOMATIC COVERING INDEX (id=?)"}},
                  "SELECT * FROM k JOIN kept AS t USING (id)") ==
        Sentences{
            "An index of 2 000 000 rows of t is built for this query only. Remove rows and columns that the "
            "query does not need"});
}

TEST_CASE("reads plans with any text safely") {
  CHECK(warned_of({{1, 1, "SCAN a"}, {2, 9, "SCAN"}, {0, 0, "SCAN "}, {3, 0, " VIRTUAL TABLE INDEX "}})
            .empty());
  CHECK(warned_of({{2, 0, "SCAN a VIRTUAL TABLE INDEX"},
                   {3, 0, "SCAN a VIRTUAL TABLE INDEX 0"},
                   {4, 0, "SCAN a VIRTUAL TABLE INDEX 0:"},
                   {5, 0, "SCAN a VIRTUAL TABLE INDEX 0:x:y z"}})
            .empty());
  CHECK(std::string(kino::after_plan_mark("slice:12 3f ab")) == "3f ab");
  CHECK(kino::after_plan_mark(nullptr) == nullptr);
}
