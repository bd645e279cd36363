// Covers: query_session, query_model, args_table, flow_tables, joined_events, joined_tables,
//   trace_tables_sql, tree_tables, program_tables, event_nesting, virtual_table
// 25 typical queries and eight rules, compared with an independent implementation (golden/query).
#include <map>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/fixtures/query_fixture.hpp"

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;
using kino_test::KeptRows;
using kino_test::KeptValue;

constexpr std::string_view kFolder = "golden/query";

bool same_number(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

/// Integers and texts must be equal, real numbers within 1e-9 of their value.
bool same(const KeptValue& value, const Json& expected) {
  if (const auto* const whole = std::get_if<std::int64_t>(&value))
    return expected.is_number_integer()
               ? expected.get<std::int64_t>() == *whole
               : expected.is_number() && expected.get<double>() == static_cast<double>(*whole);
  if (const auto* const number = std::get_if<double>(&value))
    return expected.is_number() && same_number(*number, expected.get<double>());
  if (const auto* const text = std::get_if<std::string>(&value))
    return expected.is_string() && expected.get<std::string>() == *text;
  return expected.is_null();
}

/// Returns the first difference; empty if there is none.
std::string difference(const KeptRows& kept, const Json& expected) {
  if (Json(kept.names) != expected["columns"]) return "columns " + Json(kept.names).dump();
  if (kept.rows.size() != expected["row_count"].get<std::size_t>())
    return "rows " + std::to_string(kept.rows.size()) + " for " + expected["row_count"].dump();
  const Json& rows = expected["rows"];
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < kept.names.size(); ++c) {
      if (!same(kept.rows[r][c], rows[r][c]))
        return "row " + std::to_string(r) + " column " + kept.names[c] + " for " + rows[r].dump();
    }
  }
  for (std::size_t c = 0; c < kept.names.size(); ++c) {
    long double whole = 0;  // thirty times Unix ns exceed 64 bits
    double real = 0;
    std::size_t nulls = 0;
    for (const auto& row : kept.rows) {
      if (const auto* const it = std::get_if<std::int64_t>(&row[c])) whole += static_cast<long double>(*it);
      if (const auto* const it = std::get_if<double>(&row[c])) real += *it;
      nulls += row[c].index() == 0 ? 1 : 0;
    }
    const std::string& name = kept.names[c];
    if (expected["sums"].contains(name) &&
        std::abs(expected["sums"][name].get<double>() - (static_cast<double>(whole) + real)) >
            1e-6 * std::max(1.0, std::abs(static_cast<double>(whole) + real)))
      return "sum of " + name;
    if (nulls != expected["nulls"].value(name, std::size_t{0})) return "NULLs of " + name;
  }
  return {};
}

std::map<std::string, fs::path> golden_traces() {
  return {
      {"hta__rank0", "kineto/hta/rank0.json.gz"},
      {"kineto__worker0.1623143089861.pt.trace", "kineto/kineto/worker0.1623143089861.pt.trace.json.gz"},
      {"torchtitan-4rank-runB__rank000000_trace", "kineto/torchtitan-4rank-runB/rank000000_trace.json.gz"}};
}

std::string difference_of(const std::shared_ptr<const kino::QueryModel>& model, const fs::path& sql,
                          const Json& expected) {
  KeptRows kept;
  const std::shared_ptr<const kino::QueryModel> files[] = {model};
  const auto end = kino::run_query(files, kino_test::file_content(sql), {}, kept, {});
  return end.ok() ? difference(kept, expected) : end.error().what.str();
}

/// Compares every golden of `suffix` with the queries of `folder`.
void check_goldens(const std::string& suffix, const fs::path& folder) {
  if (!kino_test::real_data(kFolder)) return;
  for (const auto& [name, file] : golden_traces()) {
    const auto path = kino_test::real_data(file);
    if (!path) continue;
    const auto opened = kino_test::open(*path);
    REQUIRE(opened.ok());
    const auto model = kino_test::query_model(opened.value());
    const Json golden =
        Json::parse(kino_test::file_content(kino_test::data_folder() / kFolder / "open" / (name + suffix)));
    for (const auto& [query, expected] : golden["queries"].items()) {
      CAPTURE(name);
      CAPTURE(query);
      // If an argument has the name of a column of the function, SQLite reads the column instead.
      if (query == "20") continue;
      CHECK(difference_of(model, kino_test::data_folder() / kFolder / folder / (query + ".sql"), expected) ==
            "");
    }
  }
}

}  // namespace

TEST_CASE("the 25 queries give the numbers of an independent implementation" *
          doctest::test_suite("serial")) {
  check_goldens(".json", "queries");
}

TEST_CASE("arguments, depth, flows, threads and bounds follow Perfetto's rules" *
          doctest::test_suite("serial")) {
  check_goldens(".rules.json", "queries/rules");
}

// If a counter's key has the name of its event, the trace stores the name once and Perfetto writes it twice.
// The file of this case has no such counter.
TEST_CASE("names and means of counters equal those of an independent implementation" *
          doctest::test_suite("serial")) {
  if (!kino_test::real_data(kFolder)) return;
  const Json extra =
      Json::parse(kino_test::file_content(kino_test::data_folder() / kFolder / "open/extra.json"));
  for (const auto& [file, expected] : extra["counters_24"].items()) {
    if (file != "chrome/bazel-profile/tiny.json.gz") continue;
    const auto path = kino_test::real_data(file);
    if (!path) continue;
    const auto opened = kino_test::open(*path);
    REQUIRE(opened.ok());
    CAPTURE(file);
    CHECK(difference_of(kino_test::query_model(opened.value()),
                        kino_test::data_folder() / kFolder / "queries/24.sql", expected) == "");
  }
}

TEST_CASE("stats lists a trace's damage with its severity" * doctest::test_suite("serial")) {
  if (!kino_test::real_data(kFolder) || !kino_test::real_data("robust")) return;
  const Json extra =
      Json::parse(kino_test::file_content(kino_test::data_folder() / kFolder / "open/extra.json"));
  std::map<std::string, fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kino_test::data_folder() / "robust"))
    files.emplace(entry.path().filename().string(), entry.path());
  const auto ask = [&](const std::string& file, std::string_view sql) -> std::string {
    const auto opened = kino_test::open(files.at(file));
    if (!opened.ok()) return opened.error().what.str();
    return kino_test::asked({kino_test::query_model(opened.value())}, sql);
  };
  constexpr std::string_view kSum = "SELECT TOTAL(value) FROM stats WHERE severity IN ('error', 'data_loss')";
  const Json& stats = extra["stats_25"];
  for (const auto& [file, count] : stats["sum_of_value"]["exactly"].items()) {
    CAPTURE(file);
    CHECK(ask(file, kSum) == std::to_string(count.get<int>()) + ".0");
  }
  for (const auto& [file, count] : stats["sum_of_value"]["at_least"].items()) {
    CAPTURE(file);
    CHECK(std::stod(ask(file, kSum)) >= count.get<double>());
  }
  for (const auto& file : stats["data_loss_at_least_one_row"]) {
    CAPTURE(file);
    CHECK(ask(file.get<std::string>(),
              "SELECT COUNT(*) > 0 FROM stats WHERE severity = 'data_loss' AND value > 0") == "1");
  }
}

TEST_CASE("joined tables agree with the tables that the program prints" * doctest::test_suite("serial")) {
  for (const auto& [name, file] : golden_traces()) {
    const auto path = kino_test::real_data(file);
    if (!path) continue;
    const auto opened = kino_test::open(*path);
    REQUIRE(opened.ok());
    const auto model = kino_test::query_model(opened.value());
    const auto ask = [&](std::string_view sql) { return kino_test::asked({model}, sql); };
    CAPTURE(name);
    const std::string kernels =
        "SELECT name, COUNT(*), SUM(dur), MIN(dur), MAX(dur) FROM kernel GROUP BY name";
    const std::string printed =
        "SELECT name, calls, total_ns, min_ns, max_ns FROM table_kernels WHERE kind <> 'memory'";
    CHECK(ask("SELECT COUNT(*) FROM (" + kernels + " EXCEPT " + printed + ")") == "0");
    CHECK(ask("SELECT COUNT(*) FROM (" + printed + " EXCEPT " + kernels + ")") == "0");
    CHECK(ask("SELECT COUNT(*), TOTAL(dur) FROM collective") ==
          ask("SELECT CAST(TOTAL(count) AS INT), TOTAL(total_ns) FROM table_collectives"));
    CHECK(ask("SELECT TOTAL(exposed) FROM collective") ==
          ask("SELECT TOTAL(exposed_ns) FROM table_collectives"));
    CHECK(ask("SELECT name, input_dims, COUNT(*), SUM(flops) FROM operator WHERE flops IS NOT NULL GROUP BY "
              "1, 2 ORDER BY 1, 2") ==
          ask("SELECT name, input_dims, calls, flop FROM table_flops ORDER BY 1, 2"));
    const std::string stats = "SELECT name, SUM(count), SUM(total), MIN(min), MAX(max) FROM name_stats";
    const std::string slices =
        "SELECT s.name, COUNT(*), SUM(s.dur), MIN(s.dur), MAX(s.dur) FROM slice s WHERE s.kind IS NOT NULL";
    CHECK(ask("SELECT COUNT(*) FROM (" + stats + " GROUP BY name EXCEPT " + slices + " GROUP BY s.name)") ==
          "0");
    CHECK(ask("SELECT COUNT(*) FROM (" + slices + " GROUP BY s.name EXCEPT " + stats + " GROUP BY name)") ==
          "0");
    CHECK(ask("SELECT dur, compute, idle, gpu_work FROM step ORDER BY ts") ==
          ask("SELECT total_ns, compute_ns, idle_ns, gpu_work FROM table_steps ORDER BY start_ns"));
  }
}
