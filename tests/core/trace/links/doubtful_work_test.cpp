// Covers: doubtful_work, copy_table, data_quality_report
#include "core/trace/links/doubtful_work.hpp"

#include <doctest/doctest.h>

#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/gpu/copy_table.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "tests/fixtures/event_fixture.hpp"

using kino::doubtful_work;
using kino::EventFixture;
using kino::slice_named;
using kino::stream_holders;
using kino::TrackClass;

namespace {

EventFixture& copy(EventFixture& events, std::int64_t start_ns, std::int64_t duration_ns) {
  return events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy DtoH", start_ns, duration_ns, "7");
}

std::uint64_t overlaps(const kino::Trace& trace) {
  for (const kino::DataQualityLine& line : kino::data_quality_report(trace).lines) {
    if (line.finding == kino::QualityFinding::stream_overlap) return line.count;
  }
  return 0;
}

}  // namespace

TEST_CASE("a copy that contains later kernels of its stream overlaps them, and its duration is doubtful") {
  EventFixture events;
  events.slice(TrackClass::cpu, "Trace", "PyTorch Profiler (0)", 0, 2600, "0");
  copy(events, 900, 3100).kernel("a", 1000, 80).kernel("b", 1100, 80).kernel("long", 1800, 3400);
  events.kernel("c", 1900, 80).kernel("d", 2000, 80);
  const auto trace = events.build();
  const auto holders = stream_holders(*trace);
  REQUIRE(holders.size() == 2);
  CHECK(overlaps(*trace) == 2);
  const auto doubtful = doubtful_work(*trace);
  REQUIRE(doubtful.size() == 2);
  for (const kino::DoubtfulWork& it : doubtful) {
    CHECK(it.held == 2);
    CHECK(it.longer_than_recording);
  }
  CHECK(kino::doubtful_note(*trace, doubtful) ==
        "Pieces of GPU work with doubtful durations: 2, the longest 3.4 µs. The durations contain later work "
        "of the same stream, or exceed the recording length of 2.6 µs. Sums that include them are too long.");
  const kino::RangeAnalysis whole(*trace, kino::whole_range(*trace));
  const kino::Table copies = kino::table_of(kino::kCopyTable, whole);
  REQUIRE(copies.notes.size() == 1);
  CHECK(
      copies.notes[0].str().starts_with("Pieces of GPU work with doubtful durations: 1, the longest 3.1 µs"));
  const kino::RangeAnalysis before(*trace, {0, 500});
  CHECK(kino::table_of(kino::kCopyTable, before).notes.empty());
}

TEST_CASE("a kernel that contains one later kernel overlaps it, but may have let it start early") {
  EventFixture events;
  events.kernel("a", 0, 100).kernel("b", 10, 20).kernel("c", 200, 10);
  const auto trace = events.build();
  CHECK(overlaps(*trace) == 1);
  CHECK(doubtful_work(*trace).empty());
}

TEST_CASE("without the profiler's span, work ten times longer than all CPU events is doubtful") {
  EventFixture events;
  for (int i = 0; i < 5; ++i) events.launch(100 * i, 10, static_cast<std::uint32_t>(i + 1));
  copy(events, 50, 4100).kernel("runs on after the last call", 60, 4000, 1, "8");
  const auto trace = events.build();  // the CPU events take 410 ns
  CHECK(doubtful_work(*trace).empty());
  for (int i = 0; i < 5; ++i) events.launch(100 * i, 10, static_cast<std::uint32_t>(i + 1));
  copy(events, 50, 4101);
  const auto longer = events.build();
  const auto doubtful = doubtful_work(*longer);
  REQUIRE(doubtful.size() == 1);
  CHECK(kino::doubtful_note(*longer, doubtful) ==
        "Pieces of GPU work with doubtful durations: 1, the longest 4.101 µs. The durations exceed the "
        "recording length of 410 ns. Sums that include them are too long.");
  events.launch(0, 10, 1).kernel("long", 20, 1'000'000, 1);
  CHECK(doubtful_work(*events.build()).empty());  // too few events
}

TEST_CASE("whole graphs, work of several streams and work in order are not doubtful") {
  EventFixture events;
  events.slice(TrackClass::gpu, "cuda_graph", "graph 1", 0, 100, "7").kernel("a", 10, 20).kernel("b", 40, 20);
  events.kernel("other stream", 200, 100, 0, "8").kernel("c", 210, 10).kernel("d", 230, 10);
  const auto trace = events.build();
  CHECK(stream_holders(*trace).empty());
  CHECK(doubtful_work(*trace).empty());
  CHECK(overlaps(*trace) == 0);
  CHECK(kino::doubtful_note(*trace, {}).empty());
}

TEST_CASE("the length of a trace excludes work that outlasts the recording") {
  EventFixture events;
  events.slice(TrackClass::cpu, "Trace", "PyTorch Profiler (0)", 0, 2600, "0");
  events.kernel("a", 1000, 80).kernel("endless", 1100, 900'000);
  const auto trace = events.build();
  CHECK(trace->content.length_ns() == 901'100);
  CHECK(kino::plausible_length_ns(*trace, doubtful_work(*trace)) == 2600);
  CHECK(kino::plausible_length_ns(*trace, {}) == 901'100);
  CHECK(kino::data_quality_report(*trace).outlasting_work == 1);
  CHECK(kino::data_quality_report(*trace).reliable_ns == 2600);
}
