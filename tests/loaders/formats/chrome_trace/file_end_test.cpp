// Covers: chrome_trace_loader, document_rest
// The end of a file and the separators of its events: truncation, notes on reading, and damage.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

using kino::DamageReason;
using kino::Trace;

}  // namespace

TEST_CASE("text that ends within a value is truncated, and after a value lacks a bracket") {
  const kino_test::TemporaryFolder folder;
  const std::string event = R"({"ph":"X","ts":1,"dur":1})";
  const std::vector<std::pair<std::string, DamageReason>> cases{
      {R"({"traceEvents":[)" + event, DamageReason::unclosed_document},
      {R"({"traceEvents":[)" + event + ",\n", DamageReason::truncated_file},
      {R"({"traceEvents":[)" + event + "]", DamageReason::unclosed_document},
      {R"({"traceEvents":[)" + event + R"(],"a":[1])", DamageReason::unclosed_document},
      {R"({"traceEvents":[)" + event + "],", DamageReason::truncated_rest},
      {R"({"traceEvents":[)" + event + R"(],"a)", DamageReason::truncated_rest},
      {R"({"traceEvents":[)" + event + R"(],"a":)", DamageReason::truncated_rest},
      {R"({"traceEvents":[)" + event + R"(],"a":[1,)", DamageReason::truncated_rest},
      {"[" + event, DamageReason::unclosed_array},
      {"[\n" + event + ", ", DamageReason::unclosed_array},
      {R"({"traceEvents":[)", DamageReason::truncated_file},
      {"[", DamageReason::truncated_file}};
  for (const auto& [text, reason] : cases) {
    CAPTURE(text);
    const auto opened = kino_test::open(folder.write("t.json", text));
    REQUIRE(opened.ok());
    const Trace& trace = *opened.value().trace;
    CHECK(trace.slice_count() == (text.find("ph") == std::string::npos ? 0 : 1));
    REQUIRE(trace.damage.entries().size() == 1);
    CHECK(trace.damage.entries()[0].reason == reason);
    CHECK(trace.damage.entries()[0].first_offset == text.size());
  }
  // A file that ends within an event is truncated, whatever its last character is.
  for (const std::string tail : {R"({"ph":"X","ts":2,"du)", R"({"ph":"X","ts":2,"dur":1,"args":{"a":{}})"}) {
    CAPTURE(tail);
    const auto opened = kino_test::open(folder.write("e.json", "[\n" + event + ",\n" + event + ",\n" + tail));
    REQUIRE(opened.ok());
    CHECK(opened.value().trace->slice_count() == 2);
    CHECK(opened.value().trace->damage.count(DamageReason::truncated_event) == 1);
    CHECK(opened.value().trace->damage.count(DamageReason::truncated_file) == 1);
  }
  const auto whole = kino_test::open(folder.write("w.json", "[" + event + "]"));
  REQUIRE(whole.ok());
  CHECK(whole.value().trace->damage.empty());
}

TEST_CASE("event lines without commas are a note on reading, and single missing commas are damage") {
  const kino_test::TemporaryFolder folder;
  const std::string event = R"({"ph":"X","ts":1,"dur":1})";
  for (const auto& [begin, end] : {std::pair("[\n", "]\n"), std::pair("", "")}) {
    CAPTURE(begin);
    const auto opened =
        kino_test::open(folder.write("l.json", begin + event + "\n" + event + "\n" + event + "\n" + end));
    REQUIRE(opened.ok());
    CHECK(opened.value().trace->slice_count() == 3);
    CHECK(opened.value().trace->damage.count(DamageReason::event_lines) == 2);
    CHECK(opened.value().trace->damage.total() == 0);
  }
  for (const std::string& text : {"[\n" + event + ",\n" + event + "\n" + event + "\n]",
                                  R"({"traceEvents":[)" + event + "\n" + event + "\n]}"}) {
    CAPTURE(text);
    const auto opened = kino_test::open(folder.write("c.json", text));
    REQUIRE(opened.ok());
    CHECK(opened.value().trace->damage.count(DamageReason::repaired_event) == 1);
    CHECK(opened.value().trace->damage.total() == 1);
  }
}

TEST_CASE("missing commas are counted between units and pieces of a long text too") {
  const kino_test::TemporaryFolder folder;
  constexpr std::uint64_t kEvents = 9000;  // 250 KB
  struct Case {
    std::string begin;
    std::string separator;
    std::string end;
    DamageReason reason;
    std::uint64_t count;
  };
  const std::vector<Case> cases{
      {"[\n", "\n", "]\n", DamageReason::event_lines, kEvents - 1},
      {"", "\n", "", DamageReason::event_lines, kEvents - 1},
      {R"({"traceEvents":[)", "\n", "]}", DamageReason::repaired_event, kEvents - 1},
      {R"({"traceEvents":[)", " ", "]}", DamageReason::repaired_event, kEvents - 1},
      {"[", ",\n", R"(,
{"ph":"X","ts":1,"dur":1,"name":"a "b" c"}])",
       DamageReason::repaired_event, 1}};
  for (const Case& it : cases) {
    CAPTURE(it.begin);
    CAPTURE(it.separator);
    std::string text = it.begin;
    for (std::uint64_t i = 0; i < kEvents; ++i) {
      if (i > 0) text += it.separator;
      text.append(R"({"ph":"X","dur":1,"ts":)").append(std::to_string(i)).append("}");
    }
    const std::filesystem::path path = folder.replace("l.json", text.append(it.end));
    for (const std::size_t unit_bytes : {std::size_t{512}, std::size_t{4096}, std::size_t{64} << 10}) {
      CAPTURE(unit_bytes);
      const auto opened = kino_test::open(path, 2, unit_bytes);
      REQUIRE(opened.ok());
      const Trace& trace = *opened.value().trace;
      CHECK(trace.damage.count(it.reason) == it.count);
      CHECK(trace.damage.total() == (it.reason == DamageReason::event_lines ? 0 : it.count));
      CHECK(trace.slice_count() == kEvents + (it.count == 1 ? 1 : 0));
    }
  }
}

TEST_CASE("a begin without an end counts as the slice shown") {
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write("b.json", R"([
    {"ph":"B","name":"a","pid":1,"tid":2,"ts":1}, {"ph":"B","name":"b","pid":1,"tid":2,"ts":2},
    {"ph":"E","pid":1,"tid":2,"ts":3}, {"ph":"b","cat":"c","id":1,"name":"d","pid":1,"ts":2}])"));
  REQUIRE(opened.ok());
  const Trace& trace = *opened.value().trace;
  CHECK(trace.slice_count() == 3);
  CHECK(trace.paired_slices == 2);
  CHECK(trace.async_slices == 1);
}

TEST_CASE("each event with an escape unknown to JSON is counted once, in any unit") {
  const kino_test::TemporaryFolder folder;
  const std::vector<std::string> events{
      R"({"ph":"X","ts":1,"dur":1,"name":"torch\cuda\__init__.py"})",
      R"({"ph":"X","ts":2,"dur":1,"name":"C:\\good\t\u00e9\""})",
      R"({"ph":"X","ts":3,"dur":1,"name":"a","args":{"path":"D:\users"}})",
      R"({"ph":"X","ts":4,"dur":1,"name":"b\\","args":{"Call stack":"x\py","list":["\q"]}})",
      R"({"ph":"i","ts":5,"name":"\u12g4"})"};
  std::string text = "[";
  for (const std::string& event : events) text += (text.size() > 1 ? ",\n" : "\n") + event;
  text += "\n]";
  for (std::size_t unit = 1; unit < text.size() + 2; unit += 5) {
    CAPTURE(unit);
    const auto opened = kino_test::open(folder.replace("escapes.json", text), 2, unit);
    REQUIRE(opened.ok());
    const Trace& trace = *opened.value().trace;
    REQUIRE(trace.counts.total() == 5);
    REQUIRE(trace.damage.count(DamageReason::invalid_escape) == 4);
    REQUIRE(trace.damage.total() == 4);
    REQUIRE(trace.damage.entries()[0].first_offset == text.find('{'));
  }
}

TEST_CASE("a comma before the closing bracket is reported at its own offset") {
  const kino_test::TemporaryFolder folder;
  const std::string text = R"({"traceEvents":[{"ph":"X","ts":1,"dur":1},
  ]})";
  const auto opened = kino_test::open(folder.write("comma.json", text));
  REQUIRE(opened.ok());
  const auto& entries = opened.value().trace->damage.entries();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].reason == DamageReason::repaired_document);
  CHECK(entries[0].first_offset == text.find("},") + 1);
  CHECK(entries[0].sample.starts_with(","));
}

TEST_CASE("a list of samples next to the events is reported as not shown") {
  const kino_test::TemporaryFolder folder;
  const std::string events = R"({"traceEvents":[{"ph":"X","ts":1,"dur":1}],"samples":[)";
  const auto with = kino_test::open(folder.write("with.json", events + R"({"sf":1,"ts":"2"}]})"));
  REQUIRE(with.ok());
  CHECK(with.value().trace->damage.count(DamageReason::samples_not_shown) == 1);
  CHECK(with.value().trace->damage.total() == 0);
  const auto empty = kino_test::open(folder.write("empty.json", events + "]}"));
  REQUIRE(empty.ok());
  CHECK(empty.value().trace->damage.entries().empty());
}
