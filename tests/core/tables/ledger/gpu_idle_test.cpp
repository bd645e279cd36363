// Covers: gpu_idle, host_activity
// Idle time of GPUs by reason: a case by hand, and the ledger and the gaps on random traces.
#include "core/tables/ledger/gpu_idle.hpp"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "core/tables/gpu/gpu_gaps.hpp"
#include "core/tables/ledger/step_ledger.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/operator_tree.hpp"
#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

std::int64_t time_of(const GpuIdle& idle, IdleReason reason) { return idle.line(reason).length_ns(); }

}  // namespace

TEST_CASE("idle time has the reasons of the ledger's rows, and its own reason before the first work") {
  const auto trace = EventFixture()
                         .op("aten::first", 0, 5)
                         .launch(10, 5, 1)
                         .kernel("a", 20, 30, 1)
                         .op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 52, 18)
                         .op("aten::late", 72, 8)
                         .launch(80, 5, 2)
                         .kernel("b", 90, 10, 2)
                         .kernel("c", 110, 10, 0)
                         .op("aten::last", 130, 10)
                         .build();
  const std::vector<GpuIdle> gpus = gpu_idle(*trace);
  REQUIRE(gpus.size() == 1);
  const GpuIdle& idle = gpus.front();
  CHECK(time_of(idle, IdleReason::before_first) == 20);
  CHECK(time_of(idle, IdleReason::loader) == 18);
  CHECK(time_of(idle, IdleReason::late_launch) == 12);  // 50 to 52, and 70 to 80
  CHECK(time_of(idle, IdleReason::launching) == 10);
  CHECK(time_of(idle, IdleReason::unknown_launch) == 10);
  CHECK(time_of(idle, IdleReason::tail) == 20);
  GpuIdle::Near near{};
  CHECK(idle.part_at(19, near)->reason == IdleReason::before_first);
  CHECK_FALSE(idle.part_at(20, near).has_value());
  const auto part = idle.part_at(60, near);
  REQUIRE(part.has_value());
  CHECK(part->reason == IdleReason::loader);
  CHECK(part->range == TimeRange{52, 70});
  CHECK(idle.part_at(0, near)->range == TimeRange{0, 20});
}

TEST_CASE("a trace without GPU work has no idle time") {
  CHECK(gpu_idle(*EventFixture().op("aten::mm", 0, 10).build()).empty());
}

TEST_CASE("reasons fill the gaps of the GPU and equal the ledger's rows (random traces)") {
  std::mt19937 random(5);
  const auto below = [&](int limit) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(limit));
  };
  for (int round = 0; round < 50; ++round) {
    EventFixture events;
    std::int64_t at = 0;
    for (int i = 1; i <= 30; ++i) {
      at += below(20);
      events.op(below(4) == 0 ? "enumerate(DataLoader)#x.__next__" : "aten::op", at, 10 + below(15));
      events.launch(at + 1, 1 + below(8), i);
      events.kernel("k", at + 2 + below(60), below(40), below(8) == 0 ? 0 : i, std::to_string(7 + below(2)));
      at += 26;
    }
    const auto trace = events.build();
    const std::vector<GpuIdle> gpus = gpu_idle(*trace);
    REQUIRE(gpus.size() == 1);
    const GpuWork work = gpu_work_in(*trace, whole_range(*trace));
    const TimeRange window = gap_window(*trace, work, {}, whole_range(*trace));
    std::int64_t idle_ns = 0;
    for (const GpuGap& gap : gpu_gaps(*trace, work, window)) {
      idle_ns += gap.range.length_ns();
      CHECK(gpus[0].gaps.covered(gap.range.begin_ns, gap.range.end_ns) == gap.range.length_ns());
    }
    CHECK(gpus[0].gaps.length_ns() == idle_ns);
    std::int64_t sum_ns = 0;
    for (const BusyLine& line : gpus[0].reasons) sum_ns += line.length_ns();
    CHECK(sum_ns == idle_ns);
    const OperatorTree tree = operator_tree(*trace, whole_range(*trace), {.annotations = true});
    const OperatorTreePart part(*trace, tree);
    const LedgerInputs inputs(*trace, part);
    const StepTimes times = gpu_ledgers(inputs).front().ledger.times(window);
    if (time_of(gpus[0], IdleReason::unrecorded) > 0) continue;
    CHECK(time_of(gpus[0], IdleReason::loader) == times[StepRow::idle_loader]);
    CHECK(time_of(gpus[0], IdleReason::tail) == times[StepRow::idle_tail]);
    const std::int64_t late_ns = times[StepRow::idle_dispatch] + times[StepRow::idle_python] +
                                 times[StepRow::idle_silent] + times[StepRow::idle_launch] +
                                 times[StepRow::idle_unknown];
    CHECK(time_of(gpus[0], IdleReason::late_launch) + time_of(gpus[0], IdleReason::launching) +
              time_of(gpus[0], IdleReason::unknown_launch) + time_of(gpus[0], IdleReason::before_first) ==
          late_ns);
  }
}
