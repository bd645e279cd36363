// Covers: formats, file_kind, chrome_trace_format, database_format, perfetto_format, snapshot_formats
// Detection of formats by the first bytes.
#include "loaders/formats/formats.hpp"

#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "core/base/ascii.hpp"
#include "loaders/bytes/file_kind.hpp"

using kino::contains;
using kino::Format;
using kino::FormatMatch;
using namespace std::string_literals;

namespace {

std::string guessed(std::string_view head) {
  const kino::FormatGuess guess = kino::detect_format(kino::all_formats(), head);
  return guess.format == nullptr ? "" : std::string(guess.format->name);
}

FormatMatch likeness(std::string_view head) {
  return kino::detect_format(kino::all_formats(), head).likeness;
}

template <FormatMatch kAnswer>
FormatMatch always(std::string_view /*head*/) {
  return kAnswer;
}

constexpr Format named(std::string_view name, FormatMatch (*likeness)(std::string_view)) {
  return {name, "", Format::Holds::trace, likeness, nullptr};
}

}  // namespace

TEST_CASE("the best matching format is chosen, and the first of equal ones") {
  constexpr std::array kSome = {
      named("never", always<FormatMatch::none>), named("barely", always<FormatMatch::barely>),
      named("maybe", always<FormatMatch::maybe>), named("maybe too", always<FormatMatch::maybe>)};
  const kino::FormatGuess guess = kino::detect_format(kSome, "");
  REQUIRE(guess.format != nullptr);
  CHECK(std::string(guess.format->name) == "maybe");
  CHECK(guess.likeness == FormatMatch::maybe);
  CHECK(kino::detect_format(std::span(kSome).first(1), "").format == nullptr);
  CHECK(kino::detect_format(std::span<const Format>(), "").format == nullptr);
}

TEST_CASE("each format has a unique name and both functions") {
  std::set<std::string_view> names;
  for (const Format& format : kino::all_formats()) {
    CAPTURE(std::string(format.name));
    CHECK(names.insert(format.name).second);
    CHECK_FALSE(format.title.empty());
    REQUIRE((format.likeness != nullptr));
    CHECK((format.open != nullptr));
    CHECK(format.likeness("") == FormatMatch::none);
    CHECK(format.likeness(" \n") == FormatMatch::none);
  }
}

TEST_CASE("forms of a snapshot are detected by their first bytes") {
  CHECK(guessed("{\"segments\": [") == "snapshot-json");
  CHECK(guessed("[[-1, 1, 512, 0], [") == "memory-timeline");
  CHECK(guessed("[[17], [[0, 512, 0, 0, 0, 0, 0, 0, 0]]]") == "memory-timeline");
  CHECK(guessed("[[1,2,3,4,5,6,7,8,9,10") == "memory-timeline");
  CHECK(guessed("[[1, 2], [3, 4]]") == "chrome-trace");
  CHECK(guessed("[[1, 2, 3], [") == "chrome-trace");
  CHECK(guessed("\n<!DOCTYPE html> MemoryViz") == "snapshot-page");
  CHECK(guessed("<html>").empty());
  CHECK(guessed("\x80\x04}(\x8c\x08segments"s) == "snapshot-pickle");
  CHECK(guessed("\x80\x04}(\x8c\x07weights"s) == "pickle");
  CHECK(likeness("\x80\x04}(\x8c\x07weights"s) == FormatMatch::barely);
}

TEST_CASE("outputs of other recorders are named, with a file to open instead") {
  const auto refused = [](std::string_view head) {
    CHECK(guessed(head).empty());
    const auto error = kino::unsupported_content(head);
    return error ? error->what.str() : std::string();
  };
  for (
      const char* const head :
      {R"({
  "schema": "1.1.1-chakra.0.0.4", "pid": 12, "time": "2026-01-01 00:00:00", "start_ts": 5,
  "nodes": [{"id": 2, "name": "aten::mm", "ctrl_deps": 1, "attrs": [)",
       R"({"schema": "1.0.1", "pid": 12, "nodes": [{"name": "[pytorch|profiler|execution_graph|thread]", "id": 2)"}) {
    CHECK(contains(refused(head), "ExecutionTraceObserver"));
    CHECK(contains(refused(head), "Chakra"));
    CHECK(contains(refused(head), "export_chrome_trace()"));
  }
  const std::string rocprof =
      refused("{\n    \"rocprofiler-sdk-tool\": [\n        {\n            \"metadata\": {");
  CHECK(contains(rocprof, "the JSON output of rocprofv3"));
  CHECK(contains(rocprof, "--output-format pftrace"));
  // GlobalMetadata with a version, then a Node with an id and a name; and metadata with only an attribute.
  CHECK(contains(refused("\x07\x0a\x05"s + "0.0.4" + "\x0a\x08\x01\x12\x06" + "COMP_1"),
                 "Chakra execution trace (.et)"));
  CHECK(contains(refused("\x0a\x12\x08\x0a\x06"s + "schema" + "\x06\x12\x04" + "COMP"),
                 "Chakra execution trace (.et)"));
  CHECK(contains(refused("\x07\x0a\x05"s + "a.b.c" + "\x0a\x08\x01\x12\x06" + "COMP_1"), "binary data"));
  CHECK(guessed(R"({"schema": "1.1.1-chakra.0.0.4", "nodes": [], "traceEvents": [)") == "chrome-trace");
  CHECK(guessed(R"({"schema": "mine", "nodes": [1, 2], "lr": 1})") == "chrome-trace");
}

TEST_CASE("a trace is detected by its first keys, even with names of a snapshot") {
  CHECK(guessed("{\"traceEvents\": [{\"name\": \"segments\"}") == "chrome-trace");
  CHECK(guessed(R"({"traceEvents": [{"args": {"segments": 1}})") == "chrome-trace");
  CHECK(likeness(" [{\"ph\": \"X\"") == FormatMatch::surely);
  CHECK(likeness("\xEF\xBB\xBF{\"traceEvents\"") == FormatMatch::surely);
  CHECK(likeness("{\"lr\": 1}") == FormatMatch::maybe);
  CHECK(likeness("text \"ph\"") == FormatMatch::barely);
  CHECK(likeness("text") == FormatMatch::none);
  CHECK(likeness("SQLite format 3\0 \"ph\""s) == FormatMatch::maybe);
  // The header of a trace lists process groups, like a flight recorder dump.
  CHECK(guessed(R"({"schemaVersion": 1, "distributedInfo": {"pg_config": [{"pg_name": "0"}]},)") ==
        "chrome-trace");
  CHECK(guessed(R"({"version": "2.10", "pg_config": {"0": {"ranks": "[0, 1]"}}, "entries": [)") ==
        "flight-recorder");
}
