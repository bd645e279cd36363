// Covers: row_sums
// Detection of SQLite's programs that only add up rows.
#include "loaders/query/sql_text/row_sums.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using Figure = kino::RowSums::Figure;
using Reads = std::vector<kino::RowSums::Read>;

/// Parses lines "opcode p1 p2 p3 p4", in which p4 may be missing.
std::vector<kino::ProgramStep> program(const std::string& text) {
  std::vector<kino::ProgramStep> steps;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    kino::ProgramStep step;
    words >> step.opcode >> step.p1 >> step.p2 >> step.p3 >> std::ws;
    std::getline(words, step.p4);
    if (!step.opcode.empty()) steps.push_back(step);
  }
  return steps;
}

// Program of SQLite 3.40 for SELECT name, COUNT(*), SUM(dur) FROM slice GROUP BY name.
const std::string kByName = R"(Init 0 38 0
Noop 1 2 0
Integer 0 6 0
Null 0 9 9
Gosub 8 34 0
VOpen 0 0 0 vtab:55CFAA28A1B0
Integer 4096 11 0
Integer 0 12 0
VFilter 0 23 11 slice:24295 24
VColumn 0 5 10
Compare 9 10 1 k(1,B)
Jump 12 16 12
Move 10 9 1
Gosub 7 27 0
IfPos 6 37 0
Gosub 8 34 0
AggStep 0 0 2 rows_counted(0)
VColumn 0 2 13
AggStep 0 13 3 sum(1)
If 5 21 0
VColumn 0 5 1
Integer 1 5 0
VNext 0 9 0
Gosub 7 27 0
Goto 0 37 0
Integer 1 6 0
Return 7 0 0
IfPos 5 29 0
Return 7 0 0
AggFinal 2 0 0 rows_counted(0)
AggFinal 3 1 0 sum(1)
Copy 1 14 2
ResultRow 14 3 0
Return 7 0 0
Null 0 1 4
Integer 0 5 0
Return 8 0 0
Halt 0 0 0
Transaction 0 0 0 0
Goto 0 1 0
)";

// SELECT COUNT(*), AVG(dur), MIN(ts), MAX(ts) FROM slice.
const std::string kOfAll = R"(Init 0 19 0
Null 0 1 4
VOpen 0 0 0 vtab:1
Integer 0 5 0
Integer 0 6 0
VFilter 0 15 5 slice:24295 6
AggStep 0 0 1 rows_counted(0)
VColumn 0 2 7
AggStep 0 7 2 avg(1)
VColumn 0 1 7
CollSeq 0 0 0 BINARY-8
AggStep 0 7 3 min(1)
VColumn 0 1 7
AggStep 0 7 4 max(1)
VNext 0 6 0
AggFinal 1 0 0 rows_counted(0)
Copy 1 8 3
ResultRow 8 4 0
Halt 0 0 0
Transaction 0 0 0 0
Goto 0 1 0
)";

/// Returns the program with one text, which it must contain, replaced by another.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

bool adds_up(const std::string& text) { return kino::row_sums(program(text)).has_value(); }

}  // namespace

TEST_CASE("finds how a summing statement reads a row") {
  const auto by_name = kino::row_sums(program(kByName));
  REQUIRE(by_name.has_value());
  CHECK(by_name->table == "slice");
  CHECK(by_name->keys == 1);
  CHECK(by_name->reads == Reads{{5, Figure::key}, {2, Figure::sum}});
  const auto of_all = kino::row_sums(program(kOfAll));
  REQUIRE(of_all.has_value());
  CHECK(of_all->keys == 0);
  CHECK(of_all->reads == Reads{{2, Figure::mean}, {1, Figure::least}, {1, Figure::most}});
}

TEST_CASE("does not sum programs with other steps") {
  // A function, a column without an aggregate, an unknown aggregate.
  CHECK_FALSE(adds_up(changed(kByName, "AggStep 0 13 3 sum(1)", "Function 0 13 3 abs(1)")));
  CHECK_FALSE(adds_up(changed(kByName, "AggStep 0 13 3 sum(1)", "AggStep 0 13 3 median(1)")));
  CHECK_FALSE(adds_up(changed(kByName, "AggStep 0 0 2 rows_counted(0)", "AggStep 0 0 2 count(0)")));
  CHECK_FALSE(adds_up(changed(kByName, "AggStep 0 13 3 sum(1)", "AggStep 0 14 3 sum(1)")));
  CHECK_FALSE(adds_up(changed(kByName, "AggStep 0 13 3 sum(1)", "AggStep 1 13 3 sum(1)")));
  // Names that are equal for SQLite, but not for the table.
  CHECK_FALSE(adds_up(changed(kByName, "k(1,B)", "k(1,NOCASE)")));
  CHECK_FALSE(adds_up(changed(kByName, "k(1,B)", "k(2,B,B)")));
  CHECK(adds_up(changed(kByName, "k(1,B)", "k(1,-B)")));
  // Rows of a nested loop, of two tables, or read by another step.
  CHECK_FALSE(adds_up(changed(kByName, "Noop 1 2 0", "Rewind 1 2 0")));
  CHECK_FALSE(adds_up(changed(kByName, "Copy 1 14 2", "VOpen 1 0 0 vtab:2")));
  CHECK_FALSE(adds_up(changed(kByName, "Copy 1 14 2", "VColumn 0 14 2")));
  CHECK_FALSE(adds_up(changed(kByName, "Copy 1 14 2", "Rowid 0 14 2")));
  CHECK_FALSE(adds_up(changed(kByName, "Copy 1 14 2", "Goto 0 5 0")));
  CHECK_FALSE(adds_up(changed(kByName, "Copy 1 14 2", "AggStep 0 0 9 rows_counted(0)")));
  // A table of SQLite itself.
  CHECK_FALSE(adds_up(changed(kByName, "slice:24295 24", "")));
  CHECK_FALSE(adds_up(""));
  constexpr std::size_t kLoopEnd = 23;  // after VNext
  for (std::size_t i = 0; i <= program(kByName).size(); ++i) {
    std::vector<kino::ProgramStep> cut = program(kByName);
    cut.resize(i);
    CHECK(kino::row_sums(cut).has_value() == (i >= kLoopEnd));
  }
}

TEST_CASE("does not sum if columns of the minimum's row are needed") {
  const std::string least =
      changed(kByName, "AggStep 0 13 3 sum(1)", "CollSeq 5 0 0 BINARY-8\nAggStep 0 13 3 min(1)");
  const std::string placed =
      changed(changed(changed(changed(least, "If 5 21 0", "If 5 22 0"), "VFilter 0 23", "VFilter 0 24"),
                      "Gosub 7 27 0", "Gosub 7 28 0"),
              "Init 0 38 0", "Init 0 39 0");
  CHECK(adds_up(placed));  // the key is equal in all rows
  CHECK_FALSE(adds_up(changed(placed, "VColumn 0 5 1\n", "VColumn 0 4 1\n")));
  CHECK(adds_up(changed(kByName, "VColumn 0 5 1\n", "VColumn 0 4 1\n")));
}

TEST_CASE("replaces count by the function that counts rows") {
  using kino::with_counted_rows;
  CHECK(with_counted_rows("SELECT COUNT(*), Count ( dur ) FROM t") ==
        "SELECT rows_counted(*), rows_counted ( dur ) FROM t");
  CHECK(with_counted_rows("SELECT COUNT(DISTINCT a), count, 'count(*)', \"count\"(*) -- count(*)") ==
        "SELECT COUNT(DISTINCT a), count, 'count(*)', \"count\"(*) -- count(*)");
  CHECK(with_counted_rows("").empty());
}
