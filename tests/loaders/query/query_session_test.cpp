// Covers: query_session, slice_table, slice_columns, event_filter, event_sums, event_ranks, span_join,
//   defined_functions, sql_functions, sql_aggregates, stack_table, computed_tables, joined_tables,
//   perfetto_statements, sql_text
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/query_fixture.hpp"

namespace {

/// Two threads and a stream; a kernel with its launch; one slice that crosses the end of another; an instant.
constexpr std::string_view kSmallTrace = R"({"traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 10, "args": {"Input Dims": [[2, 3], []], "x": {"y.z": 1.5}, "n": null, "b": true}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 2, "dur": 2, "args": {"correlation": 7}},
  {"ph": "i", "cat": "mark", "name": "here", "pid": 1, "tid": 1, "ts": 3, "s": "t"},
  {"ph": "X", "cat": "cpu_op", "name": "crossing", "pid": 1, "tid": 1, "ts": 10, "dur": 10},
  {"ph": "X", "cat": "cpu_op", "name": "other", "pid": 1, "tid": 2, "ts": 1, "dur": 3},
  {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 4, "args": {"correlation": 7, "stream": 7, "device": 0}},
  {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 7, "pid": 1, "tid": 1, "ts": 2},
  {"ph": "f", "cat": "ac2g", "name": "ac2g", "id": 7, "pid": 0, "tid": 7, "ts": 20, "bp": "e"},
  {"ph": "C", "name": "load", "pid": 1, "ts": 4, "args": {"cpu": 0.5}}]})";

}  // namespace

TEST_CASE("the tables of a small trace have its events") {
  const kino_test::TemporaryFolder folder;
  const auto model = kino_test::query_model_of(folder, kSmallTrace);
  REQUIRE(model != nullptr);
  const auto ask = [&](std::string_view sql) { return kino_test::asked({model}, sql); };
  CHECK(ask("SELECT name, dur, depth, category FROM slice ORDER BY ts, name") ==
        "aten::mm|10000|0|cpu_op\nother|3000|0|cpu_op\ncudaLaunchKernel|2000|1|cuda_runtime\nhere|0|2|mark\n"
        "crossing|10000|0|cpu_op\ngemm|4000|0|kernel");
  CHECK(ask("SELECT s.name, p.name FROM slice s JOIN slice p ON s.parent_id = p.id ORDER BY s.ts") ==
        "cudaLaunchKernel|aten::mm\nhere|cudaLaunchKernel");
  CHECK(ask("SELECT c.name FROM slice p JOIN slice c ON c.parent_id = p.id WHERE p.name = 'aten::mm'") ==
        "cudaLaunchKernel");
  CHECK(ask("SELECT a.track_id <> b.track_id FROM slice a, slice b WHERE a.name = 'aten::mm' AND b.name = "
            "'crossing'") == "1");
  CHECK(ask("SELECT o.name, i.name FROM flow JOIN slice o ON slice_out = o.id JOIN slice i ON slice_in = "
            "i.id") == "cudaLaunchKernel|gemm");
  CHECK(ask("SELECT l.name FROM slice k JOIN slice l ON l.id = k.link_id WHERE k.name = 'gemm'") ==
        "cudaLaunchKernel");
  CHECK(
      ask("SELECT k.name FROM slice l JOIN slice k ON k.link_id = l.id WHERE l.name = 'cudaLaunchKernel'") ==
      "gemm");
  CHECK(ask("SELECT key, flat_key, value_type, display_value FROM args JOIN slice USING (arg_set_id) "
            "WHERE name = 'aten::mm' ORDER BY key") ==
        "args.Input Dims[0][0]|args.Input Dims|int|2\nargs.Input Dims[0][1]|args.Input Dims|int|3\n"
        "args.b|args.b|bool|1\nargs.x.y.z|args.x.y.z|real|1.5");
  CHECK(ask("SELECT EXTRACT_ARG(arg_set_id, 'args.Input Dims[0][1]'), EXTRACT_ARG(arg_set_id, 'args.x.y.z'), "
            "EXTRACT_ARG(arg_set_id, 'args.q') FROM slice WHERE name = 'aten::mm'") == "3|1.5|NULL");
  CHECK(ask("SELECT pid, tid, COUNT(*) FROM thread_slice GROUP BY pid, tid ORDER BY pid, tid") ==
        "0|7|1\n1|1|4\n1|2|1");
  CHECK(ask("SELECT name FROM instant") == "here");
  CHECK(ask("SELECT t.name, value FROM counter JOIN counter_track t ON t.id = track_id") == "load cpu|0.5");
  CHECK(ask("SELECT name FROM slice WHERE name REGEXP '^(gemm|here)$' ORDER BY name") == "gemm\nhere");
  CHECK(ask("SELECT name FROM slice WHERE name LIKE 'CROSS%' OR name GLOB 'oth*' ORDER BY name") ==
        "crossing\nother");
  CHECK(ask("SELECT category, COUNT(*) FROM slice GROUP BY category ORDER BY 1") ==
        "cpu_op|3\ncuda_runtime|1\nkernel|1\nmark|1");
  CHECK(ask("SELECT name FROM slice WHERE ts >= trace_start() + 4000 AND ts < trace_start() + 19000") ==
        "crossing");
  CHECK(ask("SELECT name FROM slice WHERE ts_end > trace_start() + 10500 AND ts < trace_start() + 12000") ==
        "crossing");
}

TEST_CASE("counts equal the number of walked rows, for any form of count") {
  const kino_test::TemporaryFolder folder;
  const auto model = kino_test::query_model_of(folder, kSmallTrace);
  REQUIRE(model != nullptr);
  const auto ask = [&](std::string_view sql) { return kino_test::asked({model, model}, sql); };
  const std::string_view sources[] = {"slice",
                                      "slice WHERE category = 'cpu_op'",
                                      "slice WHERE name = 'gemm'",
                                      "slice WHERE name LIKE '%e%'",
                                      "slice WHERE name IN ('gemm', 'other')",
                                      "slice WHERE name = 'none'",
                                      "slice WHERE track_id = 1",
                                      "slice WHERE ts > trace_start() + 4000",
                                      "slice WHERE id = 2",
                                      "slice WHERE id = 99",
                                      "slice WHERE dur > 5000",
                                      "slice WHERE file = 2",
                                      "slice WHERE file = 3",
                                      "slice WHERE rank IS NULL",
                                      "slice WHERE rank = 0",
                                      "instant",
                                      "thread_slice",
                                      "process_slice",
                                      "kernel",
                                      "kernel WHERE stream = 7",
                                      "args",
                                      "flow",
                                      "ancestor_slice(2)",
                                      "json_each('[1, 2, 3]')",
                                      "(SELECT * FROM slice)",
                                      "(SELECT name FROM slice LIMIT 2)",
                                      "(SELECT DISTINCT category FROM slice)",
                                      "slice, slice AS other",
                                      "slice LIMIT 1",
                                      "slice WHERE 0"};
  for (const std::string_view source : sources) {
    const std::string rows = "FROM " + std::string(source);
    CAPTURE(rows);
    const std::string walked =
        ask("WITH w AS MATERIALIZED (SELECT 1 AS one " + rows + ") SELECT TOTAL(one) FROM w");
    if (source.find("LIMIT 1") == source.npos) CHECK(ask("SELECT CAST(COUNT(*) AS REAL) " + rows) == walked);
    if (source.find("LIMIT 1") == source.npos) CHECK(ask("SELECT COUNT(*) " + rows) + ".0" == walked);
  }
  CHECK(ask("SELECT COUNT(*) FROM slice LIMIT 1") == "6");
  CHECK(ask("SELECT COUNT(*) FROM slice LIMIT 0").empty());
  CHECK(ask("SELECT COUNT(*) AS events FROM slice HAVING COUNT(*) > 5") == "6");
  CHECK(ask("SELECT COUNT(*) FROM slice HAVING COUNT(*) > 6").empty());
  CHECK(ask("SELECT COUNT(*) + 1 FROM slice") == "7");
  CHECK(ask("SELECT COUNT(*), COUNT(*) FROM slice") == "6|6");
  CHECK(ask("SELECT COUNT(dur), COUNT(DISTINCT category) FROM slice") == "6|4");
  CHECK(ask("SELECT COUNT(*) FILTER (WHERE dur > 3000) FROM slice") == "3");
  CHECK(ask("SELECT COUNT(*) FROM slice UNION ALL SELECT COUNT(*) FROM kernel") == "6\n1");
  CHECK(ask("SELECT (SELECT COUNT(*) FROM slice)") == "6");
  CHECK(
      ask("CREATE PERFETTO TABLE long AS SELECT * FROM slice WHERE dur > 3000; SELECT COUNT(*) FROM long") ==
      "3");
  CHECK(ask("CREATE PERFETTO VIEW shown AS SELECT * FROM slice WHERE category = 'cpu_op'; "
            "SELECT COUNT(*) FROM shown") == "3");
  CHECK(ask("CREATE PERFETTO FUNCTION longer(least INT) RETURNS TABLE(name STRING) AS "
            "SELECT name FROM slice WHERE dur > $least; SELECT COUNT(*) FROM longer(3000)") == "3");
  CHECK(ask("CREATE PERFETTO FUNCTION number() RETURNS INT AS SELECT COUNT(*) FROM slice; "
            "SELECT COUNT(*) FROM kernel WHERE number() = 6") == "1");
}

TEST_CASE("groups equal those of a copy sorted by SQLite") {
  const kino_test::TemporaryFolder folder;
  const auto model = kino_test::query_model_of(folder, kSmallTrace);
  REQUIRE(model != nullptr);
  const std::string_view keys[] = {"name",
                                   "category",
                                   "cat, name",
                                   "name, cat",
                                   "name_id",
                                   "track_id",
                                   "depth",
                                   "kind",
                                   "kind, category",
                                   "track_id, cat",
                                   "depth, track_id",
                                   "kind, depth, name",
                                   "name, dur",
                                   "cat, kind, name, depth"};
  const std::string copy =
      "CREATE PERFETTO TABLE copy AS SELECT id, name, cat, category, name_id, track_id, depth, kind, dur "
      "FROM slice; ";
  for (int round = 0; round < 2; ++round) {  // computed, then cached, with the first ones evicted
    for (const std::string_view key : keys) {
      const std::string by(key);
      CAPTURE(by);
      for (const std::string where : {"", " WHERE category = 'cpu_op'", " WHERE track_id = 0"}) {
        for (const std::string& order :
             {" ORDER BY " + by, " ORDER BY " + by + " DESC", std::string(" ORDER BY MIN(id)"),
              std::string(" ORDER BY MIN(id) DESC"), std::string(" ORDER BY 1 DESC, 2"),
              std::string(" ORDER BY 1 DESC, 2 DESC, 3")}) {
          const auto ask = [&](const std::string& table) {
            return kino_test::asked({model}, copy + "SELECT " + by + ", COUNT(*), SUM(dur), MAX(id) FROM " +
                                                 table + where + " GROUP BY " + by + order);
          };
          CHECK(ask("slice") == ask("copy"));
        }
        CHECK(kino_test::asked({model}, copy + "SELECT COUNT(*) FROM (SELECT DISTINCT " + by + " FROM slice" +
                                            where + ")") ==
              kino_test::asked({model}, copy + "SELECT COUNT(*) FROM (SELECT DISTINCT " + by + " FROM copy" +
                                            where + ")"));
      }
    }
  }
}

TEST_CASE("sums equal those of a copy added up by SQLite") {
  const kino_test::TemporaryFolder folder;
  const auto model = kino_test::query_model_of(folder, kSmallTrace);
  REQUIRE(model != nullptr);
  const std::string copy =
      "CREATE PERFETTO TABLE copy AS SELECT id, ts, dur, name, cat, category, name_id, track_id, depth, "
      "kind, self_dur, ts_end FROM slice; ";
  const std::string_view figures[] = {
      "COUNT(*)",
      "SUM(dur), COUNT(*)",
      "COUNT(dur), COUNT(1), COUNT(NULL)",
      "AVG(dur), AVG(self_dur), TOTAL(dur)",
      "MIN(dur), MAX(dur), MIN(ts), MAX(ts_end), SUM(depth)",
      "SUM(dur) / 1e3, SUM(dur) / COUNT(*), MAX(dur) - MIN(dur)",
      "SUM(dur), COUNT(category), MEDIAN(dur)",
      "SUM(dur) FILTER (WHERE dur > 3000), COUNT(*) FILTER (WHERE dur > 3000)",
      "SUM(dur + 1), SUM(1), MIN(name)",
      "COUNT(DISTINCT name), COUNT(*)"};
  for (const std::string_view figure : figures) {
    for (const std::string where :
         {"", " WHERE category = 'cpu_op'", " WHERE name IN ('gemm', 'other')", " WHERE track_id = 0",
          " WHERE id = 3", " WHERE name = 'none'", " WHERE dur > 3000"}) {
      for (const std::string key : {"", "name", "category", "cat, name", "depth", "kind, track_id",
                                    "name COLLATE NOCASE", "name || 'x'", "dur", "depth % 2"}) {
        const std::string asked =
            "SELECT " + (key.empty() ? key : key + ", ") + std::string(figure) + " FROM ";
        const std::string rest = where + (key.empty() ? "" : " GROUP BY " + key + " ORDER BY " + key);
        CAPTURE(asked + rest);
        const auto ask = [&](const std::string& table) {
          return kino_test::asked({model}, copy + asked + table + rest);
        };
        CHECK(ask("slice") == ask("copy"));
      }
    }
  }
  const auto ask = [&](std::string_view sql) { return kino_test::asked({model}, sql); };
  CHECK(ask("SELECT name, COUNT(*) AS n FROM slice GROUP BY name HAVING COUNT(*) = 1 AND SUM(dur) > 4000 "
            "ORDER BY n, 1") == "aten::mm|1\ncrossing|1");
  // The longest row, not the first one.
  CHECK(ask("SELECT category, name, MAX(dur) FROM slice WHERE category = 'cpu_op' AND name <> 'aten::mm' "
            "GROUP BY category") == "cpu_op|crossing|10000");
  CHECK(ask("SELECT name, MIN(dur) FROM slice WHERE category = 'cpu_op'") == "other|3000");
  CHECK(ask("SELECT SUM(n), COUNT(*) FROM (SELECT category, COUNT(*) AS n FROM slice GROUP BY category)") ==
        "6|4");
  CHECK(ask("SELECT * FROM (SELECT category, COUNT(*) AS n FROM slice GROUP BY category) WHERE n > 1") ==
        "cpu_op|3");
  CHECK(ask("CREATE PERFETTO FUNCTION number() RETURNS INT AS SELECT COUNT(*) FROM slice; "
            "SELECT category, COUNT(*), number() FROM slice GROUP BY category HAVING number() = 6 ORDER BY "
            "1") == "cpu_op|3|6\ncuda_runtime|1|6\nkernel|1|6\nmark|1|6");
  // A table that is never read leaves no state for the next statement.
  CHECK(ask("SELECT COUNT(*), SUM(dur) FROM slice WHERE 0; CREATE PERFETTO TABLE later AS SELECT name FROM "
            "slice") == "0|NULL");
  CHECK(ask("CREATE PERFETTO TABLE later AS SELECT name FROM slice; SELECT COUNT(*) FROM later") == "6");
  CHECK(ask("SELECT COUNT(*), SUM(dur) FROM thread_slice") == "6|29000");
  CHECK(ask("SELECT COUNT(*), SUM(dur) FROM instant") == "1|0");
  CHECK(ask("SELECT COUNT(*), SUM(dur), AVG(dur) FROM process_slice") == "0|NULL|NULL");
  kino_test::KeptRows kept;
  REQUIRE(kino::run_query(std::vector{model}, "SELECT COUNT(*), Count( dur ) FROM slice", {}, kept, {}).ok());
  CHECK(kept.names == std::vector<std::string>{"COUNT(*)", "Count( dur )"});
}

TEST_CASE("filters on times and durations equal SQLite's, for all types of values" *
          doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  const auto model = kino_test::query_model_of(folder, kSmallTrace);
  REQUIRE(model != nullptr);
  const std::string copy =
      "CREATE PERFETTO TABLE copy AS SELECT id, ts, dur, ts_end, name, parent_id FROM slice; ";
  const std::string_view values[] = {"4000",
                                     "4000.0",
                                     "3999.5",
                                     "-1",
                                     "0",
                                     "-0.5",
                                     "9223372036854775807",
                                     "-9223372036854775808",
                                     "9.3e18",
                                     "-9.3e18",
                                     "1e400",
                                     "-1e400",
                                     "NULL",
                                     "'4000'",
                                     "'x'",
                                     "x'00'",
                                     "''",
                                     "9223372036854774784.0",
                                     "(SELECT MIN(dur) FROM slice WHERE dur > 0)"};
  for (const std::string_view value : values) {
    for (const std::string_view comparison : {" = ", " >= ", " > ", " <= ", " < ", " <> ", " IS "}) {
      for (const std::string column : {"dur", "ts", "ts_end", "ts - trace_start()"}) {
        for (const std::string what : {"COUNT(*), SUM(dur), SUM(id * id) FROM ", "name, COUNT(*) FROM ",
                                       "COUNT(*), SUM(dur), AVG(dur) FROM ", "id FROM "}) {
          const std::string rest = " WHERE " + column + std::string(comparison) + std::string(value) +
                                   (what.starts_with("name") ? " GROUP BY name"
                                    : what.starts_with("id") ? " ORDER BY id"
                                                             : "");
          CAPTURE(what + rest);
          const auto ask = [&](const std::string& table) {
            return kino_test::asked({model}, copy + "SELECT " + what + table + rest);
          };
          CHECK(ask("slice") == ask("copy"));
        }
      }
    }
  }
  for (const std::string rest :
       {" WHERE dur BETWEEN 2000 AND 4000",
        " WHERE ts BETWEEN trace_start() + 1 AND trace_start() + 5000 AND dur > 2000",
        " WHERE id = 3 AND ts > trace_start()", " WHERE parent_id = 0 AND ts > trace_start() + 1000",
        " WHERE dur IN (4000, 2000, 'x')", " WHERE ts > trace_start() GROUP BY name",
        " WHERE name = 'gemm' AND ts_end > 0 AND dur < 1e9"}) {
    CAPTURE(rest);
    const std::string plain = "SELECT id, dur FROM slice" + rest + " ORDER BY id";
    CHECK(kino_test::asked({model}, plain) ==
          kino_test::asked({model}, copy + "SELECT id, dur FROM copy" + rest + " ORDER BY id"));
    const std::string summed = "SELECT COUNT(*), SUM(dur), MAX(ts) FROM slice" + rest;
    CHECK(kino_test::asked({model}, summed) ==
          kino_test::asked({model}, copy + "SELECT COUNT(*), SUM(dur), MAX(ts) FROM copy" + rest));
  }
}

TEST_CASE("sums beyond int64 fail as in SQLite, and means do not") {
  const kino_test::TemporaryFolder folder;
  std::string text = R"({"traceEvents": [)";
  for (int i = 0; i < 12; ++i) {
    text += std::string(i > 0 ? "," : "") + R"({"ph": "X", "cat": "a", "name": "long", "pid": 1, "tid": )" +
            std::to_string(i) + R"(, "ts": 0, "dur": 900000000000000})";
  }
  const auto model = kino_test::query_model_of(folder, text + "]}");
  REQUIRE(model != nullptr);
  const auto ask = [&](std::string_view sql) { return kino_test::asked({model}, sql); };
  CHECK(ask("SELECT SUM(dur) FROM slice") == ask("SELECT SUM(+dur) FROM slice"));
  CHECK(ask("SELECT SUM(dur) FROM slice") == "error: SQL: integer overflow");
  CHECK(ask("SELECT name, AVG(dur), COUNT(*) FROM slice GROUP BY name") == "long|9e+17|12");
}

TEST_CASE("millions of possible groups equal those of a copy") {
  std::string text = R"({"traceEvents": [)";
  for (int i = 0; i < 2500; ++i) {
    text += std::string(i > 0 ? "," : "") + R"({"ph": "X", "cat": "a", "name": "n)" +
            std::to_string(i % 1250) + R"(", "pid": 1, "tid": )" + std::to_string(i % 1100) + R"(, "ts": )" +
            std::to_string(i) + R"(, "dur": )" + std::to_string(i % 7) + "}";
  }
  const kino_test::TemporaryFolder folder;
  const auto model = kino_test::query_model_of(folder, text + "]}");
  REQUIRE(model != nullptr);
  const auto ask = [&](const std::string& table) {
    return kino_test::asked(
        {model},
        "CREATE PERFETTO TABLE copy AS SELECT * FROM slice; SELECT name, track_id, COUNT(*), "
        "SUM(dur), MAX(ts) FROM " +
            table + " GROUP BY name, track_id");
  };
  CHECK(ask("slice") == ask("copy"));
}

TEST_CASE("queries several files together, with each row from one of them") {
  const kino_test::TemporaryFolder folder;
  const auto model = kino_test::query_model_of(folder, kSmallTrace);
  const auto empty = kino_test::query_model_of(folder, R"({"traceEvents": []})");
  REQUIRE(model != nullptr);
  REQUIRE(empty != nullptr);
  CHECK(kino_test::asked({empty, model}, "SELECT COUNT(*) FROM slice") == "0");
  CHECK(kino_test::asked({empty, model}, "SELECT COUNT(*), MAX(file) FROM slice WHERE file = 2") == "6|2");
  CHECK(kino_test::asked({empty, model}, "SELECT COUNT(*) FROM slice WHERE file = 3") == "0");
}

TEST_CASE("a query of several files reports which of them it read") {
  const kino_test::TemporaryFolder folder;
  const std::vector files{kino_test::query_model_of(folder, kSmallTrace),
                          kino_test::query_model_of(folder, kSmallTrace)};
  REQUIRE(files[1] != nullptr);
  const auto asked = [&](std::string_view sql) {
    kino_test::KeptRows kept;
    const auto end = kino::run_query(files, sql, {}, kept, {});
    REQUIRE(end.ok());
    return std::pair(end.value().files, kino::partial_files_sentence(files, end.value()));
  };
  using Numbers = std::set<std::uint32_t>;
  const auto [first, sentence] = asked("SELECT COUNT(*) FROM slice");
  CHECK(first == Numbers{1});
  CHECK(sentence.starts_with("The rows are of file 1 (" + files[0]->file() + ") only; 2 files are open."));
  CHECK(asked("SELECT name FROM slice WHERE file = 2").first == Numbers{2});
  CHECK(asked("SELECT name, rank FROM slice") == std::pair(Numbers{1, 2}, std::string()));
  CHECK(asked("SELECT 1") == std::pair(Numbers{}, std::string()));
  kino_test::KeptRows kept;
  const auto alone = kino::run_query(std::span(files).first(1), "SELECT name FROM slice", {}, kept, {});
  CHECK(kino::partial_files_sentence(std::span(files).first(1), alone.value()).empty());
}

TEST_CASE("every table has a column rank, and queries that use it read all files") {
  const kino_test::TemporaryFolder folder;
  const auto of_rank = [&](std::int64_t rank, int kernels) {
    std::string text = R"({"distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(rank) +
                       R"(, "world_size": 3}, "traceEvents": [)";
    for (int i = 0; i < kernels; ++i) {
      text += std::string(i > 0 ? "," : "") + R"({"ph": "X", "cat": "kernel", "name": "k)" +
              std::to_string(i % 2) + R"(", "pid": 0, "tid": 7, "ts": )" + std::to_string(10 * i) +
              R"(, "dur": )" + std::to_string(rank + 1) + R"(, "args": {"device": 0, "stream": 7}})";
    }
    return kino_test::query_model_of(folder, text + "]}");
  };
  const std::vector<std::shared_ptr<const kino::QueryModel>> files{of_rank(2, 2), of_rank(0, 4),
                                                                   of_rank(1, 0)};
  for (const auto& file : files) REQUIRE(file != nullptr);
  const auto ask = [&](std::string_view sql) { return kino_test::asked(files, sql); };
  CHECK(ask("SELECT COUNT(*) FROM kernel") == "2");
  CHECK(ask("SELECT rank, COUNT(*), SUM(dur) FROM kernel GROUP BY rank ORDER BY rank") ==
        "0|4|4000\n2|2|6000");
  CHECK(ask("SELECT rank, name, COUNT(*) FROM slice GROUP BY rank, name ORDER BY 1, 2") ==
        "0|k0|2\n0|k1|2\n2|k0|1\n2|k1|1");
  // Groups of each file must be merged.
  CHECK(ask("SELECT name, COUNT(*), MAX(rank) FROM slice GROUP BY name") == "k0|3|2\nk1|3|2");
  CHECK(ask("SELECT COUNT(*) FROM slice WHERE rank = 0") == "4");
  CHECK(ask("SELECT COUNT(*), SUM(dur), AVG(dur), MAX(dur) FROM slice WHERE rank = 2") ==
        "2|6000|3000.0|3000");
  CHECK(ask("SELECT COUNT(*), SUM(dur), AVG(dur) FROM slice WHERE rank >= 0") ==
        "6|10000|1666.6666666666667");
  CHECK(ask("SELECT name, SUM(dur), AVG(dur) FROM slice WHERE file = 2 GROUP BY name") ==
        "k0|2000|1000.0\nk1|2000|1000.0");
  CHECK(ask("SELECT COUNT(*) FROM slice WHERE rank = 2.0 AND name = 'k1'") == "1");
  CHECK(ask("SELECT COUNT(*) FROM slice WHERE rank IN (0, 2) AND name IN ('k0', 'x')") == "3");
  CHECK(ask("SELECT COUNT(*) FROM slice WHERE rank = 1.5 OR rank = 'x' OR rank = -1 OR rank IS NULL") == "0");
  CHECK(ask("SELECT COUNT(*) FROM slice WHERE rank = 2 OR (rank = 0 AND id < 1)") == "3");
  CHECK(ask("SELECT COUNT(*) FROM slice WHERE file = 2 AND rank = 2") == "0");
  CHECK(ask("SELECT a.rank, b.rank, COUNT(*) FROM kernel a JOIN kernel b ON b.rank = a.rank AND b.id = a.id "
            "GROUP BY a.rank ORDER BY 1") == "0|0|4\n2|2|2");
  CHECK(ask("SELECT number, rank FROM file") == "1|2\n2|0\n3|1");
  CHECK(ask("SELECT rank, name FROM table_kernels ORDER BY rank, name") == "0|k0\n0|k1\n2|k0\n2|k1");
}

TEST_CASE("span joins cut spans where they overlap, by partition") {
  const kino_test::TemporaryFolder folder;
  const auto model = kino_test::query_model_of(folder, R"({"traceEvents": []})");
  const std::string tables =
      "CREATE PERFETTO TABLE a AS SELECT 0 AS ts, 10 AS dur, 1 AS k, 'a' AS x UNION ALL SELECT 20, 5, 1, 'b' "
      "UNION ALL SELECT 0, 4, 2, 'c';"
      "CREATE PERFETTO TABLE b AS SELECT 5 AS ts, 17 AS dur, 1 AS k, 'p' AS y UNION ALL SELECT 0, 1, 3, 'q';";
  const auto ask = [&](const std::string& sql) { return kino_test::asked({model}, tables + sql); };
  CHECK(ask("CREATE VIRTUAL TABLE j USING SPAN_JOIN(a PARTITIONED k, b PARTITIONED k); SELECT * FROM j") ==
        "5|5|1|a|p\n20|2|1|b|p");
  CHECK(
      ask("CREATE VIRTUAL TABLE j USING SPAN_LEFT_JOIN(a PARTITIONED k, b PARTITIONED k); SELECT * FROM j") ==
      "0|5|1|a|NULL\n5|5|1|a|p\n20|2|1|b|p\n22|3|1|b|NULL\n0|4|2|c|NULL");
  CHECK(ask("CREATE VIRTUAL TABLE j USING SPAN_OUTER_JOIN(a PARTITIONED k, b PARTITIONED k); SELECT * FROM "
            "j") ==
        "0|5|1|a|NULL\n5|5|1|a|p\n10|10|1|NULL|p\n20|2|1|b|p\n22|3|1|b|NULL\n0|4|2|c|NULL\n0|1|3|NULL|q");
  CHECK(ask("CREATE VIRTUAL TABLE j USING SPAN_JOIN(a, b PARTITIONED k); SELECT * FROM j") ==
        "error: SQL: SPAN_JOIN: spans of \"a\" overlap: ts 0 dur 4 and ts 0");
  CHECK(ask("CREATE VIRTUAL TABLE j USING SPAN_JOIN(a PARTITIONED no, b); SELECT 1") ==
        "error: SQL: SPAN_JOIN: \"a\" has no column no");
}

TEST_CASE("a function distinguishes its caller's names from its own") {
  const kino_test::TemporaryFolder folder;
  const auto model = kino_test::query_model_of(folder, R"({"traceEvents": []})");
  const auto ask = [&](std::string_view sql) { return kino_test::asked({model}, sql); };
  CHECK(ask("CREATE PERFETTO TABLE k AS SELECT 1 AS ts UNION ALL SELECT 5;"
            "CREATE PERFETTO FUNCTION below(ts LONG) RETURNS TABLE(found LONG) AS SELECT ts FROM k WHERE ts "
            "< $ts;"
            "SELECT ts, (SELECT COUNT(*) FROM below(s.ts)) FROM (SELECT 3 AS ts UNION ALL SELECT 9) s") ==
        "3|1\n9|2");
  CHECK(ask("CREATE OR REPLACE PERFETTO FUNCTION twice(x LONG) RETURNS LONG AS SELECT $x * 2;"
            "CREATE OR REPLACE PERFETTO FUNCTION twice(x LONG) RETURNS LONG AS SELECT $x + $x; SELECT "
            "twice(twice(4))") == "16");
}

TEST_CASE("percentiles interpolate, and the other functions match their description") {
  const kino_test::TemporaryFolder folder;
  const auto model = kino_test::query_model_of(folder, R"({"traceEvents": []})");
  const auto ask = [&](std::string_view sql) { return kino_test::asked({model}, sql); };
  CHECK(ask("WITH t(x) AS (VALUES (1), (2), (3), (4)) SELECT percentile(x, 50), percentile(x, 90), median(x) "
            "FROM t") == "2.5|3.7|2.5");
  CHECK(ask("SELECT time_to_ns('1.5 ms'), time_to_ns('2s'), time_to_ns('soon')") ==
        "1500000|2000000000|NULL");
  CHECK(ask("SELECT short_name('void at::native::f<int>(int)'), demangle('_Z1fi'), base64_encode('any')") ==
        "f|f(int)|YW55");
  CHECK(ask("WITH t(x) AS (VALUES ('a'), ('b')) SELECT string_agg(x, '-') FROM t") == "a-b");
  CHECK(ask("SELECT 'Gemm' REGEXP 'gemm', 'x' REGEXP NULL") == "0|NULL");
}

TEST_CASE("reports slow queries once, and fast ones never") {
  const kino_test::TemporaryFolder folder;
  const std::vector files{kino_test::query_model_of(folder, kSmallTrace)};
  REQUIRE(files[0] != nullptr);
  const auto reasons = [&](int rows) {
    const std::string sql =
        "CREATE PERFETTO TABLE numbers AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n "
        "LIMIT " +
        std::to_string(rows) +
        ") SELECT x FROM n;"
        "SELECT COUNT(*) FROM numbers AS a JOIN numbers b ON a.x > b.x + 1000000;"
        "SELECT COUNT(*) FROM numbers AS a JOIN numbers b ON a.x > b.x + 1000000";
    kino_test::KeptRows kept;
    CHECK(kino::run_query(files, sql, {}, kept, {}).ok());
    return kept.reasons;
  };
  CHECK(reasons(100).empty());
  CHECK(
      reasons(5000) ==
      std::vector<std::string>{
          "For each of about 5 000 rows of a, about 5 000 rows of b are read. Join on an id with =, or store one "
          "side with CREATE PERFETTO TABLE, which adds an index. Use SPAN_JOIN for times that overlap"});
}

TEST_CASE("a stack has the Python functions around a slice, or around a kernel's launch") {
  const kino_test::TemporaryFolder folder;
  const std::vector files{kino_test::query_model_of(folder, R"({"traceEvents": [
    {"ph": "X", "cat": "python_function", "name": "train.py(7): main", "pid": 1, "tid": 1, "ts": 0, "dur": 100},
    {"ph": "X", "cat": "python_function", "name": "nn.Module: Net_0", "pid": 1, "tid": 1, "ts": 1, "dur": 50},
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 2, "dur": 20},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 3, "dur": 2, "args": {"correlation": 7}},
    {"ph": "X", "cat": "cpu_op", "name": "written", "pid": 1, "tid": 2, "ts": 3, "dur": 9, "args": {"Call stack": "net.py(3): f;train.py(9): main"}},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 4, "args": {"correlation": 7, "stream": 7, "device": 0}},
    {"ph": "X", "cat": "kernel", "name": "lost", "pid": 0, "tid": 7, "ts": 30, "dur": 4, "args": {"correlation": 8, "stream": 7, "device": 0}}]})")};
  REQUIRE(files[0] != nullptr);
  const auto ask = [&](std::string_view sql) { return kino_test::asked(files, sql); };
  const auto stack_of = [&](const std::string& name) {
    return ask(
        "SELECT stack.depth, function, filename, line, (SELECT name FROM slice WHERE id = frame_slice_id) "
        "FROM slice JOIN stack ON stack.slice_id = slice.id WHERE name = '" +
        name + "' ORDER BY stack.depth");
  };
  const std::string main = "|main|train.py|7|train.py(7): main";
  const std::string around = "0|nn.Module: Net_0|NULL|NULL|nn.Module: Net_0\n1" + main;
  CHECK(stack_of("gemm") == around);
  CHECK(stack_of("aten::mm") == around);
  CHECK(stack_of("train.py(7): main") == "0" + main);
  CHECK(stack_of("written") == "0|f|net.py|3|NULL\n1|main|train.py|9|NULL");
  CHECK(stack_of("lost").empty());
  CHECK(ask("SELECT COUNT(*), COUNT(DISTINCT slice_id) FROM stack") == "11|6");
  CHECK(ask("SELECT COUNT(*) FROM stack WHERE slice_id = -1 OR slice_id = 99 OR slice_id IS NULL") == "0");
}

TEST_CASE("joined tables are looked up by id") {
  const kino_test::TemporaryFolder folder;
  const std::vector files{kino_test::query_model_of(folder, kSmallTrace)};
  REQUIRE(files[0] != nullptr);
  const auto ask = [&](std::string_view sql) { return kino_test::asked(files, sql); };
  CHECK(ask("SELECT k.name, l.name FROM kernel k JOIN launch l ON l.id = k.launch_id") ==
        "gemm|cudaLaunchKernel");
  CHECK(ask("SELECT o.name FROM kernel k JOIN operator o ON o.id = k.op_id") == "aten::mm");
  CHECK(ask("SELECT COUNT(*) FROM kernel k JOIN slice s ON s.id = k.id") == "1");
  CHECK(ask("SELECT COUNT(*) FROM kernel WHERE id IN (-1, 1.5, 99, 'x') OR id IS NULL") == "0");
}

TEST_CASE("exposed time excludes concurrent compute, and FLOPs belong to their operator only") {
  const kino_test::TemporaryFolder folder;
  const std::vector files{kino_test::query_model_of(folder, R"({"traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 1, "tid": 1, "ts": 0, "dur": 30, "args": {"Input Dims": [[2, 3], [4, 3], []]}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 20, "args": {"Input Dims": [[2, 3], [3, 4]]}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::relu", "pid": 1, "tid": 1, "ts": 40, "dur": 20, "args": {"Input Dims": [[2, 4]]}},
    {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 20, "ts": 10, "dur": 10, "args": {"device": 0, "stream": 20}},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 8, "dur": 5, "args": {"device": 0, "stream": 7}},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 18, "dur": 9, "args": {"device": 0, "stream": 7}},
    {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoD", "pid": 0, "tid": 7, "ts": 14, "dur": 2, "args": {"device": 0, "stream": 7}}]})")};
  REQUIRE(files[0] != nullptr);
  const auto ask = [&](std::string_view sql) { return kino_test::asked(files, sql); };
  CHECK(ask("SELECT dur, exposed FROM collective") == "10000|5000");
  CHECK(ask("SELECT name, flops FROM operator WHERE flops IS NOT NULL") == "aten::mm|48.0");
  CHECK(ask("SELECT COUNT(*) FROM operator WHERE flops IS NULL") == "2");
}

TEST_CASE("sums of names in a range and on a track equal those of the range's table") {
  const kino_test::TemporaryFolder folder;
  const std::vector files{kino_test::query_model_of(folder, kSmallTrace)};
  REQUIRE(files[0] != nullptr);
  const auto ask = [&](std::string_view sql) { return kino_test::asked(files, sql); };
  CHECK(ask("SELECT name, kind, count, total, self, min, CAST(mean AS INTEGER), max FROM name_stats ORDER BY "
            "name") ==
        "aten::mm|operator|1|10000|8000|10000|10000|10000\n"
        "crossing|operator|1|10000|10000|10000|10000|10000\n"
        "cudaLaunchKernel|runtime|1|2000|2000|2000|2000|2000\ngemm|compute|1|4000|4000|4000|4000|4000\n"
        "other|operator|1|3000|3000|3000|3000|3000");
  // A slice counts with its part in the range.
  CHECK(ask("SELECT name, total FROM name_stats(trace_start() + 1000, trace_start() + 12000) ORDER BY total "
            "DESC, name") == "aten::mm|9000\ncrossing|3000\ncudaLaunchKernel|2000\nother|2000");
  CHECK(ask("SELECT n.name FROM slice s JOIN name_stats(NULL, NULL, s.track_id) n WHERE s.name = 'other'") ==
        "other");
  CHECK(ask("SELECT COUNT(*) FROM name_stats(NULL, NULL, 99)") == "0");
  CHECK(ask("SELECT COUNT(*) FROM name_stats(trace_end() + 1)") == "0");
  CHECK(ask("SELECT COUNT(*) FROM name_stats(9223372036854775807, -9223372036854775808)") == "0");
}

TEST_CASE("the comparison of two files' kernels equals the comparison of runs") {
  const kino_test::TemporaryFolder folder;
  const auto of = [&](int gemm_us, const std::string& other) {
    std::string text = R"({"traceEvents": [)";
    for (int step = 0; step < 5; ++step) {
      const int at = 1000 * step;
      text += R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#)" + std::to_string(step) +
              R"(", "pid": 1, "tid": 1, "ts": )" + std::to_string(at) + R"(, "dur": 1000},)";
      int start = at + 10;
      for (const auto& [name, us] : {std::pair<std::string, int>{"void gemm<4>(int)", gemm_us}, {other, 7}}) {
        text += R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "pid": 0, "tid": 7, "ts": )" +
                std::to_string(start) + R"(, "dur": )" + std::to_string(us) +
                R"(, "args": {"device": 0, "stream": 7}},)";
        start += us;
      }
    }
    text.back() = ']';
    return kino_test::query_model_of(folder, text + "}");
  };
  const std::vector<std::shared_ptr<const kino::QueryModel>> files{of(100, "old"), of(160, "new")};
  for (const auto& file : files) REQUIRE(file != nullptr);
  const auto ask = [&](std::string_view sql) { return kino_test::asked(files, sql); };
  CHECK(ask("SELECT name, cause, status, CAST(dur_a AS INT), CAST(dur_b AS INT), CAST(change AS INT), "
            "CAST(count_a AS INT), CAST(count_b AS INT) FROM diff_kernel") ==
        "void gemm<4>(int)|compute|slower|100000|160000|60000|1|1\n"
        "new|compute|added|0|7000|7000|0|1\nold|compute|removed|7000|0|-7000|1|0");
  CHECK(ask("SELECT name FROM diff_kernel('short_name') LIMIT 1") == "gemm");
  CHECK(ask("SELECT name FROM diff_kernel('shape')") ==
        "error: SQL: diff_kernel() compares by 'name' or by 'short_name'");
  CHECK(kino_test::asked({files[0]}, "SELECT * FROM diff_kernel").find("open two") != std::string::npos);
}
