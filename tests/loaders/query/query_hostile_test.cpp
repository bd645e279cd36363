// Covers: query_session, query_guard, query_clock
// SQL that tries to write, to read other files, or never to end: an error within the limits, and no effect.
#include <map>
#include <sstream>

#include <doctest/doctest.h>

#include "tests/fixtures/query_fixture.hpp"

namespace {

namespace fs = std::filesystem;

struct HostileStatement {
  std::string name;
  std::string expect;  // refuse, bound, works
  std::string sql;
};

std::string text_times(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// Expands texts that are too long to store, like hostile_expand.py.
std::map<std::string, std::string> long_texts() {
  std::string grown = "CREATE PERFETTO FUNCTION g0(x LONG) RETURNS LONG AS SELECT $x;";
  for (int i = 1; i <= 40; ++i) {
    const std::string before = "g" + std::to_string(i - 1) + "($x)";
    grown += "CREATE PERFETTO FUNCTION g" + std::to_string(i) + "(x LONG) RETURNS LONG AS SELECT " + before +
             " + " + before + ";";
  }
  return {{"H27", "SELECT " + text_times("1+", 5'000'000) + "1;"},
          {"H28", "SELECT 1" + text_times(" UNION ALL SELECT 1", 9999) + ";"},
          {"H29", "SELECT " + std::string(50'000, '(') + "1" + std::string(50'000, ')') + ";"},
          {"H30", "SELECT " + text_times("1,", 4999) + "1;"},
          {"H35", grown + "SELECT g40(1);"}};
}

std::vector<HostileStatement> hostile_statements(const fs::path& file) {
  const std::map<std::string, std::string> longer = long_texts();
  std::vector<HostileStatement> all;
  std::istringstream lines(kino_test::file_content(file));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("-- H") && line.size() > 8 && line[6] == ' ') {
      const std::string rest = line.substr(7);
      all.push_back({line.substr(3, 3), rest.substr(0, rest.find_first_of(": (")), {}});
    } else if (!all.empty()) {
      all.back().sql += line + "\n";
    }
  }
  for (HostileStatement& one : all) {
    if (const auto found = longer.find(one.name); found != longer.end()) one.sql = found->second;
  }
  return all;
}

}  // namespace

TEST_CASE("refuses or bounds hostile SQL with a sentence, and permits similar SQL" *
          doctest::test_suite("serial")) {
  const auto list = kino_test::real_data("golden/query/hostile.sql");
  const auto path = kino_test::real_data("kineto/torchtitan-4rank-runB/rank000000_trace.json.gz");
  if (!list || !path) return;
  const auto opened = kino_test::open(*path);
  REQUIRE(opened.ok());
  const auto model = kino_test::query_model(opened.value());
  kino::QueryLimits limits;
  limits.seconds = 0.2;
  limits.memory_bytes = std::uint64_t{256} << 20;
  limits.rows = 1000;
  const std::map<std::string, std::string> works{
      {"H38", "NULL|NULL|0"}, {"H39", "1"}, {"H40", "10"}, {"H23", "0"}};
  std::size_t seen = 0;
  for (const HostileStatement& hostile : hostile_statements(*list)) {
    CAPTURE(hostile.name);
    ++seen;
    const std::string answer = kino_test::asked({model}, hostile.sql, limits);
    CHECK(answer.size() < 500'000);
    if (works.contains(hostile.name)) {
      CHECK(answer == works.at(hostile.name));
    } else if (hostile.expect == "refuse") {
      // Deeply nested parentheses are an error up to SQLite 3.45. Later versions store the parser's stack on
      // the heap.
      CHECK((answer.starts_with("error: ") || (hostile.name == "H29" && answer == "1")));
      CHECK(answer.size() < 500);
    }
  }
  CHECK(seen == 42);
  CHECK(!fs::exists("/tmp/kinetoscope_hostile.db"));
  CHECK(!fs::exists("/tmp/kinetoscope_hostile.txt"));
}

TEST_CASE("a refusal names the refused action" * doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  const auto model = kino_test::query_model_of(folder, R"({"traceEvents": []})");
  REQUIRE(model != nullptr);
  const auto ask = [&](std::string_view sql) { return kino_test::asked({model}, sql); };
  CHECK(ask("ATTACH DATABASE 'x.db' AS x") ==
        "error: ATTACH, DETACH and VACUUM are refused: a query can only read the opened files");
  CHECK(ask("PRAGMA writable_schema = ON") ==
        "error: PRAGMA writable_schema is refused: a query cannot change settings");
  CHECK(ask("SELECT load_extension('libm.so.6')") == "error: The function load_extension is refused");
  CHECK(ask("CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS $x") ==
        "error: CREATE PERFETTO MACRO is refused: write a FUNCTION or a VIEW");
  CHECK(ask("CREATE TEMP TABLE t(x); CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END;") ==
        "error: CREATE TRIGGER is refused: queries cannot have triggers");
  CHECK(ask("CREATE PERFETTO FUNCTION f(x LONG) RETURNS LONG AS SELECT f($x)") ==
        "error: The function f calls itself, so it would never end");
  CHECK(ask("SELECT SUM(a) FROM (SELECT 9223372036854775807 AS a UNION ALL SELECT 1)") ==
        "error: SQL: integer overflow");
}

TEST_CASE("a query ends on a stop request and at its limits" * doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  const auto model = kino_test::query_model_of(folder, R"({"traceEvents": []})");
  constexpr std::string_view kEndless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c";
  std::stop_source stop;
  stop.request_stop();
  kino_test::KeptRows kept;
  const std::shared_ptr<const kino::QueryModel> files[] = {model};
  const auto end = kino::run_query(files, kEndless, {}, kept, stop.get_token());
  REQUIRE(!end.ok());
  CHECK(end.error().kind == kino::Error::Kind::cancelled);
  kino::QueryLimits limits;
  limits.seconds = 0.05;
  CHECK(kino_test::asked({model}, kEndless, limits) ==
        "error: The query took longer than the limit of 0.05 s (--timeout)");
  limits = {};
  limits.memory_bytes = 4 << 20;
  CHECK(kino_test::asked(
            {model},
            "CREATE TEMP TABLE t AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
            "SELECT x, hex(randomblob(500)) AS y FROM c",
            limits)
            .starts_with("error: The query needs more memory than the limit of"));
}
