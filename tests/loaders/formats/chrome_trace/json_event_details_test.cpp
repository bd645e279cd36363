// Covers: json_event_details
// Event details through the interface that all sources of traces share.
#include "loaders/formats/chrome_trace/json_event_details.hpp"

#include <atomic>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/loader_files.hpp"

using kino::ArgumentTerm;
using kino::EventDetails;
using kino::SliceId;

namespace {

constexpr const char* kTrace = R"([
  {"ph":"X","name":"a","cat":"cpu_op","pid":1,"tid":1,"ts":1,"dur":2,"args":{"External id": 7}},
  {"ph":"i","name":"mark","pid":1,"tid":1,"ts":2,"args": {"why":"x"}},
  {"ph":"X","name":"b","cat":"cpu_op","pid":1,"tid":1,"ts":5,"dur":2}
])";

}  // namespace

TEST_CASE("an opened trace returns details of slices and instants") {
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write("trace.json", kTrace));
  REQUIRE(opened.ok());
  const EventDetails& details = *opened.value().details;
  const auto slice = details.read({SliceId{0}, kino::kNoInstant});
  REQUIRE(slice.ok());
  CHECK(slice.value().find("name")->text == "a");
  CHECK(details.arguments_json({SliceId{0}, kino::kNoInstant}).value() == R"({"External id": 7})");
  CHECK(details.arguments_json({SliceId{1}, kino::kNoInstant}).value().empty());
  const auto instant = details.read({kino::kNoSlice, 0});
  REQUIRE(instant.ok());
  CHECK(instant.value().find("args")->find("why")->text == "x");
}

TEST_CASE("an opened trace can be searched and trimmed through its details") {
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write("trace.json", kTrace));
  REQUIRE(opened.ok());
  const EventDetails& details = *opened.value().details;
  CHECK(details.sampled_fields({}).has("externalid"));
  kino::ArgumentProgress progress;
  const auto all = details.all_fields(progress, [] {}, {});
  REQUIRE(all.ok());
  CHECK(all.value().has("externalid"));
  CHECK(progress.total_bytes == std::string(kTrace).size());
  const std::vector<ArgumentTerm> terms = {{"externalid", "7"}};
  const auto found = details.find(
      terms, [](SliceId) { return true; }, progress, [] {}, {});
  REQUIRE(found.ok());
  CHECK(found.value().count() == 1);
  CHECK(found.value().contains(0));
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(details
                  .find(
                      terms, [](SliceId) { return true; }, progress, [] {}, stop.get_token())
                  .ok());
  std::atomic<std::uint64_t> bytes_read{0};
  const std::int64_t begin = opened.value().trace->range.begin_ns;
  const auto part = details.write_part({begin, begin + 1000}, folder.path() / "part.json", bytes_read, {});
  REQUIRE(part.ok());
  CHECK(part.value().of_events == 3);
  CHECK(part.value().events < 3);
}
