// Covers: sql_completion, sql_examples, sql_result
// Completions of the word before the cursor in a query.
#include "app/pages/query/sql_completion.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "app/pages/query/sql_examples.hpp"
#include "app/pages/query/sql_result.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

const std::vector<kino::SqlTableName> kTables{{"kernel", {"id", "ts", "dur", "name", "op_name"}},
                                              {"slice", {"id", "ts", "dur", "depth", "name"}}};

kino::Completion at_end(std::string_view sql) { return kino::completion_at(sql, sql.size(), kTables); }

bool offers(const kino::Completion& it, std::string_view word) {
  return std::ranges::find(it.words, word) != it.words.end();
}

}  // namespace

TEST_CASE("tables, columns and keywords of SQL complete a word, columns of named tables first") {
  CHECK(offers(at_end("select * from ker"), "kernel"));
  CHECK(at_end("select * from ker").common == "kernel");
  CHECK(offers(at_end("SEL"), "SELECT"));
  const kino::Completion of_kernel = kino::completion_at("select o from kernel", 8, kTables);
  CHECK(of_kernel.begin == 7);
  REQUIRE_FALSE(of_kernel.words.empty());
  CHECK(of_kernel.words.front() == "op_name");
  // After the name of a table and a dot, only columns of this table are offered.
  const kino::Completion owned = at_end("select slice.d");
  CHECK(owned.words == std::vector<std::string>{"depth", "dur"});
  CHECK(owned.common == "d");
  CHECK(at_end("select ").words.empty());
  CHECK(at_end("").words.empty());
  CHECK(kino::completion_at("abc", 99, kTables).words.empty());
}

TEST_CASE("the names of all tables are known, and each example query runs on an empty trace") {
  const std::vector<kino::SqlTableName> tables = kino::query_tables();
  for (const char* const name : {"slice", "thread", "args", "kernel", "collective", "table_kernels"})
    CHECK(std::ranges::find(tables, name, &kino::SqlTableName::name) != tables.end());
  kino::EventFixture events;
  events.op("aten::mm", 0, 100).launch(10, 5, 1).kernel("gemm", 50, 20, 1);
  const auto model = std::make_shared<const kino::QueryModel>(events.build(), nullptr, "trace.json");
  for (const kino::SqlExample& example : kino::sql_examples()) {
    CAPTURE(example.sql);
    const auto table = kino::sql_table(model, std::string(example.sql), [](const kino::Message&) {}, {});
    CHECK(table.ok());
  }
}

TEST_CASE("rows of a query link to slices of equal time, else to an interval") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 100).op("aten::add", 200, 50);
  const auto trace = events.build();
  const auto model = std::make_shared<const kino::QueryModel>(trace, nullptr, "trace.json");
  const auto ask = [&](const char* sql) {
    return kino::sql_table(model, sql, [](const kino::Message&) {}, {});
  };
  const auto slices = ask("select id, ts, dur, name from slice order by ts desc");
  REQUIRE(slices.ok());
  CHECK(trace->name_of(slices.value().slice_of(0)) == "aten::add");
  CHECK(slices.value().find("dur")->unit == kino::Unit::ns);
  // The id of another table does not link to a slice.
  const auto shifted = ask("select 0 as id, ts, dur from slice where name = 'aten::add'");
  REQUIRE(shifted.ok());
  CHECK(shifted.value().slice_of(0) == kino::kNoSlice);
  REQUIRE(shifted.value().links.size() == 1);
  CHECK(shifted.value().links[0].range().begin_ns == 200);
  CHECK(shifted.value().links[0].range().end_ns == 250);
  const auto mixed = ask("select 1 as a, 1.5 as b, 'x' as c union all select null, 2, 3");
  REQUIRE(mixed.ok());
  CHECK(mixed.value().row_count() == 2);
  CHECK(mixed.value().find("c")->is_text());
  CHECK(mixed.value().links.empty());
  const auto wrong = ask("select nothing");
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().what.str().find("nothing") != std::string::npos);
}
