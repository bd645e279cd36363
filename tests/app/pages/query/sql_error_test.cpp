// Covers: sql_error
// The place of an error in a query, and the name that was probably meant.
#include "app/pages/query/sql_error.hpp"

#include <doctest/doctest.h>

#include "core/base/result.hpp"

namespace {

const std::vector<kino::SqlTableName> kQueried{{"kernel", {"id", "ts", "dur", "name", "op_name"}},
                                               {"slice", {"id", "ts", "dur", "depth", "name"}},
                                               {"thread", {"utid", "tid", "deep"}}};

std::string wrong_text(std::string_view sql, const kino::SqlMistake& mistake) {
  return std::string(sql.substr(mistake.begin, mistake.end - mistake.begin));
}

}  // namespace

TEST_CASE("an unknown column is found in its line, with the closest column of the named tables") {
  constexpr std::string_view kSql = "select id,\n  あ, dept\nfrom slice";
  const auto mistake = kino::sql_mistake(kSql, "SQL: no such column: dept", 0, kQueried);
  REQUIRE(mistake);
  CHECK(wrong_text(kSql, *mistake) == "dept");
  CHECK(mistake->line == 2);
  CHECK(mistake->column == 6);
  CHECK(mistake->nearest == "depth");
}

TEST_CASE("unknown tables and functions are found without their schema or table") {
  constexpr std::string_view kSql = "select * from main.Slise where slise_id = 1";
  const auto table = kino::sql_mistake(kSql, "SQL: no such table: main.slise", 0, kQueried);
  REQUIRE(table);
  CHECK(wrong_text(kSql, *table) == "Slise");
  CHECK(table->nearest == "slice");
  constexpr std::string_view kCall = "select medain(dur) from slice";
  const auto call = kino::sql_mistake(kCall, "SQL: no such function: medain", 7, kQueried);
  REQUIRE(call);
  CHECK(call->begin == 7);
  CHECK(call->nearest == "median");
  const auto qualified =
      kino::sql_mistake("select s.nmae from slice s", "SQL: no such column: s.nmae", 7, kQueried);
  REQUIRE(qualified);
  CHECK(qualified->begin == 9);
  CHECK(qualified->nearest == "name");
}

TEST_CASE("a syntax error has a place and no name, and an error without a place has neither") {
  constexpr std::string_view kSql = "select 1 fro slice x y";
  const auto mistake = kino::sql_mistake(kSql, "SQL: near \"slice\": syntax error", 13, kQueried);
  REQUIRE(mistake);
  CHECK(wrong_text(kSql, *mistake) == "slice");
  CHECK(mistake->nearest.empty());
  CHECK_FALSE(kino::sql_mistake(kSql, "stopped", kino::kNoOffset, kQueried));
  CHECK_FALSE(kino::sql_mistake(kSql, "SQL: no such column: absent", 0, kQueried));
  const auto end = kino::sql_mistake(kSql, "SQL: incomplete input", kSql.size(), kQueried);
  REQUIRE(end);
  CHECK(end->begin == end->end);
  const auto far = kino::sql_mistake("select zzzzzz from slice", "SQL: no such column: zzzzzz", 7, kQueried);
  REQUIRE(far);
  CHECK(far->nearest.empty());
}
