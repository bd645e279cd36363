// Covers: range_analysis
// Analyses of a step: its operators and the GPU work they launched, even if that runs later.
#include "core/tables/analysis/range_analysis.hpp"

#include <random>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::RangeAnalyses;
using kino::TimeRange;
using kino::TrackClass;

std::vector<std::string> names_of(const kino::Trace& trace, const kino::GpuWork& work) {
  std::vector<std::string> names;
  for (const kino::StreamWork& stream : work.streams) {
    for (const kino::SliceId slice : stream.slices) names.emplace_back(trace.name_of(slice));
  }
  return names;
}

/// The CPU runs ahead: the work of the first step begins within the range of the second step, and ends after
/// it.
std::shared_ptr<const kino::Trace> running_ahead() {
  return EventFixture()
      .slice(TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 100, "1")
      .op("aten::first", 10, 50)
      .launch(20, 5, 1)
      .slice(TrackClass::cpu, "user_annotation", "ProfilerStep#2", 100, 100, "1")
      .op("aten::second", 110, 50)
      .launch(120, 5, 2)
      .launch(130, 5, 3)
      .kernel("unknown", 105, 10)
      .kernel("first", 130, 200, 1)
      .kernel("second", 330, 100, 2)
      .kernel("second_too", 350, 100, 3, "8")
      .build();
}

}  // namespace

TEST_CASE("includes a step's operators and the GPU work it launched") {
  const auto trace = running_ahead();
  const RangeAnalyses analyses(*trace);
  const auto whole = analyses.of(kino::whole_range(*trace));
  const auto second = analyses.of_step(whole->steps().at(1), 1);
  const auto& operators = second->operators();
  REQUIRE(operators.size() == 1);
  CHECK(trace->names[kino::index_of(operators[0].name)] == "aten::second");
  CHECK(operators[0].device_ns == 200);
  CHECK(names_of(*trace, second->work()) == std::vector<std::string>{"second", "second_too"});
  CHECK(second->gpu_range() == TimeRange{330, 450});
  CHECK(second->breakdown().at(0).busy_ns() == 120);
  CHECK(second->kernels().size() == 2);
  CHECK(second->kernels()[0].spread.total_ns == 100);
  const auto steps = second->steps_in_range();
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].range == TimeRange{100, 200});
  CHECK(steps[0].work_end_ns == 450);
  const auto first = analyses.of_step(whole->steps().at(0), 0);
  CHECK(names_of(*trace, first->work()) == std::vector<std::string>{"first"});
  CHECK(whole->steps().at(0).work_end_ns == 330);
}

TEST_CASE("relates coverage to the requested GPU time") {
  const auto trace = running_ahead();
  const RangeAnalyses analyses(*trace);
  const auto whole = analyses.of(kino::whole_range(*trace));
  CHECK(whole->coverage().all_ns == 410);
  CHECK(whole->coverage().known_ns == 400);
  const auto second = analyses.of_step(whole->steps().at(1), 1);
  CHECK(second->coverage().all_ns == 200);
  CHECK(second->coverage().known_ns == 200);
  const auto range = analyses.of({100, 125});  // the unknown kernel, and the first launch of the step
  CHECK(range->coverage().all_ns == 110);
  CHECK(range->coverage().known_ns == 100);
  CHECK(analyses.of({500, 600})->coverage().all_ns == 0);
}

TEST_CASE("agrees with brute force on the work launched in a range") {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    EventFixture events;
    for (std::uint32_t i = 1; i <= 60; ++i) {
      const auto at = static_cast<std::int64_t>(random() % 2000);
      if (random() % 4 != 0) events.launch(10 * i, 3, i);
      events.kernel("k", 600 + at, static_cast<std::int64_t>(1 + random() % 5), i,
                    random() % 2 == 0 ? "7" : "8");
    }
    const auto trace = events.build();
    const kino::LaunchTimes launches(*trace);
    for (int i = 0; i < 10; ++i) {
      const auto from = static_cast<std::int64_t>(random() % 700);
      const TimeRange range{from, from + static_cast<std::int64_t>(random() % 300)};
      std::int64_t launched_ns = 0;
      std::int64_t all_ns = 0;
      for (std::uint32_t slice = 0; slice < trace->slice_count(); ++slice) {
        if (!kino::is_gpu_work(trace->slices.kind[slice])) continue;
        const kino::SliceId launch = trace->slices.link[slice];
        const std::int64_t at = trace->slices.start_ns[launch == kino::kNoSlice ? slice : index_of(launch)];
        if (at < range.begin_ns || at >= range.end_ns) continue;
        all_ns += trace->slices.duration_ns[slice];
        if (launch != kino::kNoSlice) launched_ns += trace->slices.duration_ns[slice];
      }
      CHECK(launches.coverage(range, true).all_ns == all_ns);
      CHECK(launches.coverage(range, false).all_ns == launched_ns);
      std::int64_t listed_ns = 0;
      for (const kino::StreamWork& stream : launches.launched_in(*trace, range).streams) {
        std::int64_t before_ns = 0;
        for (const kino::SliceId slice : stream.slices) {
          CHECK(trace->start_ns(slice) >= before_ns);
          before_ns = trace->start_ns(slice);
          listed_ns += trace->duration_ns(slice);
        }
      }
      CHECK(listed_ns == launched_ns);
    }
  }
}
