// Covers: event_array
#include "loaders/formats/chrome_trace/event_array.hpp"

#include <string>

#include <doctest/doctest.h>

#include "core/base/damage.hpp"
#include "core/trace/trace.hpp"
#include "tests/fixtures/loader_files.hpp"

TEST_CASE("reports a header that is nested too deep, and keeps the events") {
  const kino_test::TemporaryFolder folder;
  const std::string deep = std::string(400'000, '[') + std::string(400'000, ']');
  const std::string events =
      R"("traceEvents":[{"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":1,"dur":1,"name":"k"}]})";
  for (const std::string& header :
       {R"({"distributedInfo":{"rank":3,"pg_config":)" + deep + "},",
        R"({"distributedInfo":{"rank":3,"pg_config":[{"pg_name":)" + deep + "}]},",
        R"({"deviceProperties":[{"id":0,"name":)" + deep + "}],"}) {
    const auto opened = kino_test::open(folder.write("deep.json", header + events));
    REQUIRE(opened.ok());
    const kino::Trace& trace = *opened.value().trace;
    CHECK(trace.slice_count() == 1);
    CHECK(trace.job.rank != 3);
    CHECK(trace.damage.count(kino::DamageReason::header_unreadable) == 1);
  }
}
