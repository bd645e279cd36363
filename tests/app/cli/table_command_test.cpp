// Covers: cut_file, table_columns, csv_text, table_text, trace_tables, snapshot_table_kinds
// `kinetoscope table`: keys, orders, limits, and text that cannot control a terminal.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/cli/command_line/cut_file.hpp"
#include "app/cli/command_line/table_columns.hpp"
#include "app/ui/text/table_text.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/csv_text.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using Json = nlohmann::json;
using kino::EventFixture;
using kino::TableRequest;

std::shared_ptr<const kino::Trace> table_trace() {
  return EventFixture()
      .slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#7", 0, 1000, "1")
      .op("aten::mm", 10, 100)
      .launch(20, 10, 1)
      .kernel("gemm\x1b[31m|red", 50, 200, 1)
      .launch(150, 10, 2)
      .kernel("ncclDevKernel_AllReduce_Sum", 300, 100, 2, "20")
      .slice(kino::TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 500, 50, "7")
      .build();
}

TableRequest request_of(std::string name) {
  TableRequest request;
  request.name = std::move(name);
  request.format = kino::TableFormat::json;
  return request;
}

Json json_of(const kino::Trace& trace, const TableRequest& request) {
  const auto table = kino::compute_table(kino::RangeAnalyses(trace), request);
  REQUIRE(table.ok());
  const auto rows = kino::chosen_rows(table.value(), request);
  REQUIRE(rows.ok());
  return Json::parse(kino::table_json(table.value(), rows.value()));
}

}  // namespace

TEST_CASE("JSON rows have the keys that programs rely on") {
  const auto trace = table_trace();
  const std::pair<const char*, std::vector<const char*>> promised[] = {
      {"kernels", {"name", "kind", "calls", "total_ns", "mean_ns", "min_ns", "max_ns"}},
      {"operators", {"name", "calls", "host_total_ns", "host_self_ns", "device_total_ns", "device_self_ns"}},
      {"breakdown",
       {"kernel_time_ns", "idle_ns", "compute_ns", "non_compute_ns", "communication_ns", "overlap_ns"}},
      {"idle", {"stream", "host_wait_ns", "kernel_wait_ns", "other_ns"}},
      {"steps", {"name", "total_ns", "compute_ns", "communication_ns", "cpu_ns", "idle_ns"}}};
  for (const auto& [name, keys] : promised) {
    CAPTURE(name);
    const Json rows = json_of(*trace, request_of(name));
    REQUIRE(rows.is_array());
    REQUIRE_FALSE(rows.empty());
    for (const char* key : keys) CHECK(rows[0].contains(key));
  }
  const Json kernels = json_of(*trace, request_of("kernels"));
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0]["kind"] == "computation");
  CHECK(kernels[1]["kind"] == "communication");
  CHECK(kernels[2]["kind"] == "memory");
  CHECK(kernels[0]["total_ns"] == 200);
}

TEST_CASE("prints every table of every trace in every format") {
  const auto empty = EventFixture().build();
  const auto trace = table_trace();
  for (const kino::TableInfo* const listed : kino::table_kinds()) {
    const kino::TableInfo& kind = *listed;
    CAPTURE(std::string(kind.name));
    for (const auto& it : {empty, trace}) {
      TableRequest request = request_of(std::string(kind.name));
      for (std::size_t group = 0; group <= kind.groups.size(); ++group) {
        if (group > 0) request.group = kind.groups[group - 1];
        const auto table = kino::compute_table(kino::RangeAnalyses(*it), request);
        REQUIRE(table.ok());
        CHECK(table.value().name == kind.name);
        const auto rows = kino::chosen_rows(table.value(), request);
        REQUIRE(rows.ok());
        for (const kino::TableColumn& column : table.value().columns) {
          CHECK(column.size() == table.value().row_count());
          CHECK_FALSE(column.definition.empty());
        }
        const std::size_t count = table.value().row_count();
        CHECK((count == 0 ? table.value().links.empty() : table.value().links.size() % count == 0));
        CHECK(Json::parse(kino::table_json(table.value(), rows.value())).size() == rows.value().size());
        for (const std::string& text :
             {kino::table_text(table.value(), rows.value()), kino::table_csv(table.value(), rows.value()),
              kino::table_markdown(table.value(), rows.value())}) {
          CHECK_FALSE(text.empty());
          CHECK(text.find('\x1b') == std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("rows are sorted, limited, and restricted to a range or step") {
  const auto trace = table_trace();
  TableRequest request = request_of("kernels");
  request.sort = {"total_ns:asc"};
  request.limit = 1;
  const Json shortest = json_of(*trace, request);
  REQUIRE(shortest.size() == 1);
  CHECK(shortest[0]["total_ns"] == 50);
  request = request_of("kernels");
  request.range = kino::TimeRange{100, 320};
  const Json part = json_of(*trace, request);
  REQUIRE(part.size() == 2);
  CHECK(part[0]["total_ns"] == 150);
  CHECK(part[1]["total_ns"] == 20);
  request = request_of("kernels");
  request.step = 7;
  CHECK(json_of(*trace, request).size() == 2);  // the launch of the copy is unknown
}

TEST_CASE("a step of a CPU that runs ahead has its operators, and the kernels that they launched") {
  const auto trace = EventFixture()
                         .slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 100, "1")
                         .op("aten::first", 10, 50)
                         .launch(20, 5, 1)
                         .slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#2", 100, 100, "1")
                         .op("aten::second", 110, 50)
                         .launch(120, 5, 2)
                         .kernel("first", 130, 200, 1)
                         .kernel("second", 330, 100, 2)
                         .build();
  const auto names_in_second = [&](const char* table) {
    TableRequest request = request_of(table);
    request.step = 2;
    std::vector<std::string> names;
    for (const Json& row : json_of(*trace, request)) names.push_back(row["name"].get<std::string>());
    std::sort(names.begin(), names.end());
    return names;
  };
  CHECK(names_in_second("operators") == std::vector<std::string>{"aten::second"});
  CHECK(names_in_second("kernels") == std::vector<std::string>{"second"});
  CHECK(names_in_second("steps") == std::vector<std::string>{"2"});
  CHECK(names_in_second("key-averages") ==
        std::vector<std::string>{"ProfilerStep*", "aten::second", "cudaLaunchKernel", "second"});
  TableRequest request = request_of("operators");
  request.step = 2;
  const auto table = kino::compute_table(kino::RangeAnalyses(*trace), request);
  REQUIRE(table.ok());
  REQUIRE(table.value().notes.size() == 1);
  CHECK(table.value().notes[0] == "The launching operator is recorded for 100 % of GPU time.");
  const Json steps = json_of(*trace, request_of("steps"));
  CHECK(steps[1]["total_ns"] == 100);  // from mark to mark, as on the ruler
  CHECK(steps[1]["work_end_ns"] == 430);
  CHECK(steps[1]["tensorboard_ns"] == 100);  // from 330 on
}

TEST_CASE("reports unknown steps, tables, groups and sort keys") {
  const auto trace = table_trace();
  TableRequest request = request_of("kernels");
  request.step = 8;
  CHECK(kino::compute_table(kino::RangeAnalyses(*trace), request).error().what ==
        "There is no step 8 in this trace, only 7");
  request = request_of("nothing");
  CHECK_FALSE(kino::compute_table(kino::RangeAnalyses(*trace), request).ok());
  request = request_of("idle");
  request.group = "name";
  CHECK_FALSE(kino::compute_table(kino::RangeAnalyses(*trace), request).ok());
  request = request_of("kernels");
  const auto table = kino::compute_table(kino::RangeAnalyses(*trace), request);
  REQUIRE(table.ok());
  request.sort = {"nothing"};
  CHECK_FALSE(kino::chosen_rows(table.value(), request).ok());
  request.sort = {"calls:sideways"};
  CHECK_FALSE(kino::chosen_rows(table.value(), request).ok());
}

TEST_CASE("digits of amounts are grouped, those of event indices are not") {
  kino::Table table;
  table.name = "events";
  table.add_integers("event", "Event", kino::Unit::id, "Its number").push_back(22330);
  table.add_integers("count", "Count", kino::Unit::count, "Allocations").push_back(22330);
  const std::vector<std::uint32_t> rows{0};
  CHECK(kino::cell_text(table.columns[0], 0) == "22330");
  CHECK(kino::cell_text(table.columns[1], 0) == kino::grouped(22330));
  CHECK(kino::cell_text(table.columns[0], 0) != kino::cell_text(table.columns[1], 0));
  CHECK(kino::table_csv(table, rows) == "event,count\r\n22330,22330\r\n");
}

TEST_CASE("names with special characters do not add columns in Markdown") {
  const auto trace = table_trace();
  const TableRequest request = request_of("kernels");
  const auto table = kino::compute_table(kino::RangeAnalyses(*trace), request);
  REQUIRE(table.ok());
  const auto rows = kino::chosen_rows(table.value(), request);
  REQUIRE(rows.ok());
  CHECK(kino::table_markdown(table.value(), rows.value()).find("[31m\\|red |") != std::string::npos);
}

TEST_CASE("CSV keeps line breaks and tabs, and no cell is a formula") {
  CHECK(kino::csv_cell("a\nb\tc\"d") == "\"a\nb\tc\"\"d\"");
  CHECK(kino::csv_cell("\x1b[31m") == "\"\\x1B[31m\"");
  for (const char* text : {"=1+1", "+cmd", "-cmd|' /C calc'!A0", "@SUM(A1)"}) {
    CAPTURE(text);
    CHECK(kino::csv_cell(text) == "\"'" + std::string(text) + "\"");
  }
  CHECK(kino::csv_cell("\t=1") == "\"'\t=1\"");
  CHECK(kino::csv_cell("-5") == "\"-5\"");
  CHECK(kino::csv_cell("+1.5e3") == "\"+1.5e3\"");
  CHECK(kino::csv_cell("") == "\"\"");
  CHECK(kino::exact_digits(0.1) == "0.1");
  CHECK(kino::exact_digits(1.0 / 3) == "0.3333333333333333");
  CHECK(kino::exact_digits(-2) == "-2");
  CHECK(kino::exact_digits(kino::kNoNumber).empty());
}

TEST_CASE("CSV has negative numbers as numbers, and Markdown contains no HTML") {
  kino::Table table;
  table.name = "t";
  table.add_texts("name", "A<b>", "x") = {"<img src=x onerror=alert(1)> & *b* `c`"};
  table.add_integers("count", "Count", kino::Unit::count, "x") = {-3};
  table.add_numbers("share", "Share", kino::Unit::share, "x") = {-0.1};
  const std::vector<std::uint32_t> rows{0};
  CHECK(kino::table_csv(table, rows) ==
        "name,count,share\r\n\"<img src=x onerror=alert(1)> & *b* `c`\",-3,-0.1\r\n");
  const std::string markdown = kino::table_markdown(table, rows);
  CHECK(markdown.find('<') == std::string::npos);
  CHECK(markdown.find("&lt;img src=x onerror=alert(1)&gt; &amp; \\*b\\* \\`c\\`") != std::string::npos);
  CHECK(markdown.find("A&lt;b&gt;") != std::string::npos);
  // Names of files must not become links or emphasis.
  table.columns[0].values = kino::TableColumn::Texts{"[a](http://x) ~~b~~ __init__ aten_mm"};
  CHECK(kino::table_markdown(table, rows).find("\\[a](http://x) \\~\\~b\\~\\~ \\_\\_init\\_\\_ aten_mm") !=
        std::string::npos);
}

TEST_CASE("prints the meaning of every table's columns without a file") {
  std::vector<std::string_view> names;
  for (const kino::TableInfo* const kind : kino::table_kinds()) names.push_back(kind->name);
  for (const kino::TableInfo* const kind : kino::snapshot_table_kinds()) names.push_back(kind->name);
  for (const std::string_view name : names) {
    CAPTURE(std::string(name));
    const auto help = kino::table_help(name);
    REQUIRE(help.ok());
    CHECK_FALSE(help.value().definition.empty());
    REQUIRE_FALSE(help.value().columns.empty());
    for (const kino::ColumnHelp& column : help.value().columns) CHECK_FALSE(column.definition.empty());
    const auto json = kino::table_columns_text(name, kino::TableFormat::json);
    REQUIRE(json.ok());
    CHECK(Json::parse(json.value()).size() == help.value().columns.size());
  }
  const auto kernels = kino::table_help("kernels");
  REQUIRE(kernels.ok());
  CHECK(std::ranges::count(kernels.value().columns, "total_ns", &kino::ColumnHelp::key) == 1);
  CHECK_FALSE(kino::table_help("nothing").ok());
}

TEST_CASE("a range outside the trace and an unknown stream are errors") {
  const auto trace = table_trace();
  const kino::RangeAnalyses analyses(*trace);
  TableRequest request = request_of("kernels");
  request.range = kino::TimeRange{5000, 6000};
  CHECK(kino::compute_table(analyses, request).error().what ==
        "The range from 5000 ns to 6000 ns is outside of the trace, which extends from 0 ns to 1000 ns");
  request = request_of("gaps");
  request.stream = "20";
  CHECK(kino::compute_table(analyses, request).ok());
  request.stream = "21";
  CHECK(kino::compute_table(analyses, request).error().what ==
        "There is no GPU stream 21 in this trace, only 7, 20");
  request.name = "kernels";
  CHECK_FALSE(kino::compute_table(analyses, request).ok());
}

TEST_CASE("clips a range to the trace, and every table reports it") {
  const auto trace = table_trace();
  const kino::RangeAnalyses analyses(*trace);
  const std::string said =
      "The range extends beyond the trace and was clipped to the recorded part, from 500 ns to 1000 ns.";
  for (const kino::TableInfo* const kind : kino::table_kinds()) {
    TableRequest inside = request_of(std::string(kind->name));
    inside.range = kino::TimeRange{500, 1001};
    TableRequest beyond = inside;
    beyond.range = kino::TimeRange{500, 600'000};
    CAPTURE(kind->name);
    CHECK(json_of(*trace, beyond) == json_of(*trace, inside));
    const kino::Table table = kino::compute_table(analyses, beyond).value();
    REQUIRE_FALSE(table.notes.empty());
    CHECK(table.notes.back() == said);
    const kino::Table within = kino::compute_table(analyses, inside).value();
    CHECK(std::ranges::find(within.notes, said) == within.notes.end());
  }
}

TEST_CASE("all gaps are listed, and a limit of 0 is no limit") {
  EventFixture events;
  for (int i = 0; i < 1500; ++i) events.kernel("k", 10 * i, 5);
  const auto trace = events.build();
  TableRequest request = request_of("gaps");
  request.limit = 0;
  CHECK(json_of(*trace, request).size() == 1499);
  const kino::Table table = kino::compute_table(kino::RangeAnalyses(*trace), request).value();
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0] == "1 499 gaps in the trace (0 ns to 15 µs), 7.495 µs in total.");
}

TEST_CASE("notes on gaps state their range, and their share of the time that the summary covers") {
  const auto trace = EventFixture().op("aten::a", 0, 10).kernel("k", 600, 100).kernel("k", 800, 200).build();
  const kino::Table table = kino::compute_table(kino::RangeAnalyses(*trace), request_of("gaps")).value();
  REQUIRE(table.notes.size() == 2);
  CHECK(table.notes[0] == "2 gaps in the trace (0 ns to 1 µs), 700 ns in total.");
  CHECK(table.notes[1] == "Gaps take 25.0 % of the time that the summary covers (the GPU window).");
  for (const kino::Message& note : table.notes) CHECK_FALSE(note.is_verbatim());
}

TEST_CASE("reports a truncated file, as an error only with --strict") {
  kino::DamageLog damage;
  damage.add(kino::DamageReason::negative_duration, 5, "x");
  damage.add(kino::DamageReason::trailing_data, 9, "x");
  CHECK_FALSE(kino::truncation_sentence(damage).has_value());
  CHECK_FALSE(kino::rejects_truncated(damage, "a.json", true));
  damage.add(kino::DamageReason::truncated_file, 77, "x");
  CHECK(
      kino::truncation_sentence(damage) ==
      "The file is truncated: text that ends before the end of its event array or document, at byte 77; the part "
      "before is used");
  CHECK(kino::rejects_truncated(damage, "a.json", true));
  CHECK_FALSE(kino::rejects_truncated(damage, "a.json", false));
  damage.add(kino::DamageReason::truncated_gzip, 77, "x");
  CHECK(kino::truncation_sentence(damage) ==
        "The file is truncated: truncated compressed stream, shown up to its end; the part before "
        "is used");
  kino::DamageLog checksum;
  checksum.add(kino::DamageReason::gzip_checksum, 1862, "");
  CHECK(kino::truncation_sentence(checksum) ==
        "The file is damaged: compressed data that does not match its checksum; the whole file is used");
  CHECK(kino::rejects_truncated(checksum, "a.json", true));
}
