// Covers: launch_times, kernel_table, operator_table
// The share of GPU time with a known launching operator, and the note about it.
#include "core/tables/gpu/launch_times.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/gpu/kernel_table.hpp"
#include "core/tables/operators/operator_table.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::RangeAnalyses;
using kino::Trace;
using kino::TrackClass;
using Notes = std::vector<std::string>;

template <class Scope>
Notes notes_of(const Trace& trace, const kino::TableKind<Scope>& kind) {
  const RangeAnalyses analyses(trace);
  return kino::english_texts(kind.compute(*analyses.of(kino::whole_range(trace)), {}, {}).notes);
}

}  // namespace

TEST_CASE("counts calls, not names, in the share with a launching operator") {
  const auto trace = EventFixture()
                         .op("aten::mm", 0, 20)
                         .launch(5, 2, 1)
                         .launch(30, 2, 2)
                         .kernel("gemm", 100, 60, 1)
                         .kernel("gemm", 200, 40, 2)
                         .build();
  const Notes expected{"The launching operator is recorded for 60.0 % of GPU time."};
  CHECK(notes_of(*trace, kino::kKernelTable) == expected);
  CHECK(notes_of(*trace, kino::kOperatorTable) == expected);
  const kino::LaunchCoverage all =
      kino::launch_coverage(*trace, kino::gpu_work_in(*trace, kino::whole_range(*trace)));
  const kino::LaunchCoverage sorted = kino::LaunchTimes(*trace).coverage(kino::whole_range(*trace), true);
  for (const kino::LaunchCoverage& it : {all, sorted}) {
    CHECK(it.all_ns == 100);
    CHECK(it.known_ns == 60);
    CHECK(it.range_ns == 0);
    CHECK(it.launched_ns == 100);
  }
}

TEST_CASE("does not count user ranges as operators, unless an operator surrounds them") {
  EventFixture events;
  events.slice(TrackClass::cpu, "user_annotation", "execute_context_0", 0, 20, "1")
      .launch(5, 2, 1)
      .kernel("gemm", 100, 50, 1)
      .kernel("unknown", 200, 50);
  const auto ranges = events.build();
  const Notes expected{
      "For 50.0 % of GPU time, the launch is in a user range. No launching operator is recorded."};
  CHECK(notes_of(*ranges, kino::kKernelTable) == expected);
  CHECK(notes_of(*ranges, kino::kOperatorTable) == expected);
  const auto both = EventFixture()
                        .slice(TrackClass::cpu, "user_annotation", "init_model", 0, 20, "1")
                        .launch(5, 2, 1)
                        .op("aten::mm", 30, 20)
                        .slice(TrackClass::cpu, "user_annotation", "inner", 32, 10, "1")
                        .launch(35, 2, 2)
                        .kernel("gemm", 100, 30, 1)
                        .kernel("gemm", 200, 10, 2)
                        .build();
  CHECK(notes_of(*both, kino::kKernelTable) ==
        Notes{"The launching operator is recorded for 25.0 % of GPU time."});
}

TEST_CASE("gives no share of launching operators without recorded launches") {
  const auto trace = EventFixture().op("aten::mm", 0, 20).kernel("gemm", 100, 50).build();
  CHECK(notes_of(*trace, kino::kKernelTable).empty());
  CHECK(notes_of(*trace, kino::kOperatorTable).empty());
  CHECK(kino::launch_coverage_note({0, 50, 0, 50}) ==
        "The launching operator is recorded for 0.0 % of GPU time.");
}
