// Covers: trace_tables, table_text
// Memory and work of output grow no faster than a hostile file: both are counted for two file sizes.
#include <functional>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "app/ui/text/table_text.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "tests/fixtures/counted_memory.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace {

using kino::TableFormat;

std::string slice(const std::string& category, const std::string& name, const std::string& pid, int start,
                  int duration) {
  return R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":)" + pid +
         R"(,"tid":7,"ts":)" + std::to_string(start) + R"(,"dur":)" + std::to_string(duration) +
         R"(,"args":{"stream":7}})";
}

std::string events(int count, const std::function<std::string(int)>& event) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ",\n" : "") + event(i);
  return text + "]";
}

struct FileKind {
  const char* name;
  std::function<std::string(int)> file;
  std::vector<const char*> tables;
};

const std::vector<FileKind>& kinds() {
  static const std::vector<FileKind> all{
      {"nested modules",
       [](int n) {
         return events(n, [n](int i) {
           return slice("python_function", "nn.Module: Layer_" + std::to_string(i), "1", i, 2 * (n - i));
         });
       },
       {"modules", "summary"}},
      {"GPUs",
       [](int n) {
         return events(n, [](int i) { return slice("kernel", "k", std::to_string(i), 9 * i, 5); });
       },
       {"summary", "gaps", "breakdown", "kernels"}},
      {"kernels",
       [](int n) {
         return events(n, [](int i) { return slice("kernel", "k" + std::to_string(i), "0", 9 * i, 5); });
       },
       {"kernels", "key-averages", "gaps"}},
      {"steps",
       [](int n) {
         return events(n, [](int i) {
           return slice("user_annotation", "ProfilerStep#" + std::to_string(i), "1", 9 * i, 5);
         });
       },
       {"steps", "summary"}}};
  return all;
}

struct Cost {
  std::int64_t peak_bytes = 0;
  std::int64_t requested_bytes = 0;
};

/// Measures the memory needed to compute and print one table of a trace.
Cost cost_of(const kino::Trace& trace, const char* name, TableFormat format) {
  const auto print = [&] {
    kino::TableRequest request;
    request.name = name;
    request.format = format;
    request.limit = 0;
    const auto table = kino::compute_table(kino::RangeAnalyses(trace), request);
    REQUIRE(table.ok());
    const auto rows = kino::chosen_rows(table.value(), request);
    REQUIRE(rows.ok());
    std::size_t printed = 0;
    const kino::TextSink count = [&](std::string_view text) { printed += text.size(); };
    if (format == TableFormat::json) kino::write_table_json(table.value(), rows.value(), count);
    if (format == TableFormat::csv) kino::write_table_csv(table.value(), rows.value(), count);
    if (format == TableFormat::text) kino::write_table_text(table.value(), rows.value(), count);
    CHECK(printed > 0);
  };
  Cost cost;
  cost.requested_bytes =
      kino_test::requested_bytes_of([&] { cost.peak_bytes = kino_test::peak_bytes_of(print); });
  return cost;
}

}  // namespace

TEST_CASE("memory and work to print tables of deep and wide files are proportional to the files") {
  const kino_test::TemporaryFolder folder;
  constexpr int kFew = 1000;
  constexpr int kMany = 4000;
  for (const FileKind& kind : kinds()) {
    const auto few_file = folder.write("few.json", kind.file(kFew));
    const auto many_file = folder.write("many.json", kind.file(kMany));
    const auto few = kino_test::open(few_file);
    const auto many = kino_test::open(many_file);
    REQUIRE(few.ok());
    REQUIRE(many.ok());
    const auto more_bytes = static_cast<std::int64_t>(std::filesystem::file_size(many_file)) -
                            static_cast<std::int64_t>(std::filesystem::file_size(few_file));
    for (const char* const table : kind.tables) {
      for (const TableFormat format : {TableFormat::text, TableFormat::csv, TableFormat::json}) {
        const std::string what = std::string(kind.name) + " as " + table;
        CAPTURE(what);
        CAPTURE(static_cast<int>(format));
        cost_of(*few.value().trace, table, format);  // fills caches that remain
        const Cost least = cost_of(*few.value().trace, table, format);
        const Cost most = cost_of(*many.value().trace, table, format);
        MESSAGE(what, ": ", 10 * (most.peak_bytes - least.peak_bytes) / more_bytes,
                " tenths of the file at the peak, ", 10 * most.requested_bytes / least.requested_bytes,
                " tenths of the work");
        CHECK(most.peak_bytes - least.peak_bytes <= 14 * more_bytes);
        CHECK(most.requested_bytes <= 6 * least.requested_bytes);  // four times as many events
      }
    }
  }
}

TEST_CASE("a row deep in a tree shows its depth instead of unlimited indentation") {
  kino::Table table;
  table.name = "t";
  auto& names = table.add_texts("name", "Name", "x");
  auto& numbers = table.add_integers("count", "Count", kino::Unit::count, "x");
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 300; ++i) {
    names.push_back("module_" + std::to_string(i));
    numbers.push_back(i);
    table.depths.push_back(i);
    rows.push_back(i);
  }
  const std::string text = kino::table_text(table, rows);
  CHECK(text.find("\n  module_1 ") != std::string::npos);
  CHECK(text.find("\n" + std::string(32, ' ') + "module_16 ") != std::string::npos);
  CHECK(text.find("(17) module_17 ") != std::string::npos);
  CHECK(text.find("(299) module_299 ") != std::string::npos);
}

TEST_CASE("JSON of rows equals the output of a JSON library") {
  kino::Table table;
  table.name = "t";
  table.add_texts("name", "Name", "x") = {"\xC3\xA9 \"a\"\n", "\xFF", ""};
  table.add_integers("count", "Count", kino::Unit::count, "x") = {-3, kino::kNoInteger, 5};
  table.add_numbers("share", "Share", kino::Unit::share, "x") = {0.1, kino::kNoNumber, 2};
  const std::vector<std::uint32_t> rows{0, 1, 2};
  CHECK(kino::table_json(table, rows) ==
        "[\n"
        "  {\n    \"name\": \"\\u00e9 \\\"a\\\"\\n\",\n    \"count\": -3,\n    \"share\": 0.1\n  },\n"
        "  {\n    \"name\": \"\\ufffd\",\n    \"count\": null,\n    \"share\": null\n  },\n"
        "  {\n    \"name\": \"\",\n    \"count\": 5,\n    \"share\": 2.0\n  }\n"
        "]\n");
  CHECK(kino::table_json(table, {}) == "[]\n");
}
