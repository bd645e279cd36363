// Covers: ledger_report
// The content of the ledger page: steps, ceilings, gaps, intervals and verdicts, on cases worked by hand.
#include "core/tables/ledger/ledger_report.hpp"

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/gpu/step_choice.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::StepRow;

/// A step of 100 ns: 30 idle, a matrix product of 40, 10 idle, a collective of 20.
std::shared_ptr<const kino::Trace> traced_step() {
  kino::EventFixture events;
  events.slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#4", 0, 100, "1")
      .launch(25, 5, 1)
      .kernel("gemm", 30, 40, 1)
      .launch(60, 5, 2)
      .kernel("ncclDevKernel_AllReduce", 80, 20, 2);
  return events.build();
}

}  // namespace

TEST_CASE("a report has each step of each GPU, with rows that add up to the step") {
  const auto trace = traced_step();
  const kino::RangeAnalysis parts(*trace, kino::whole_range(*trace));
  const kino::LedgerReport report = kino::ledger_report(parts);
  REQUIRE(report.gpus.size() == 1);
  REQUIRE(report.gpus[0].steps.size() == 1);
  const kino::LedgerStep& step = report.gpus[0].steps[0];
  CHECK(step.number == 4);
  CHECK(step.times.total() == 100);
  CHECK(step.times[StepRow::matrix_unknown] == 40);
  CHECK(report.gpus[0].typical_step() == 0);
}

TEST_CASE("a report without GPU work is empty, and so is a stopped one") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 10);
  const auto cpu_only = events.build();
  CHECK(kino::ledger_report(kino::RangeAnalysis(*cpu_only, kino::whole_range(*cpu_only))).gpus.empty());
  const auto trace = traced_step();
  std::stop_source stop;
  stop.request_stop();
  CHECK(kino::ledger_report(kino::RangeAnalysis(*trace, kino::whole_range(*trace)), stop.get_token())
            .gpus.empty());
}

TEST_CASE("gaps are summed by row and next work, and intervals of a row are in order") {
  const auto trace = traced_step();
  const kino::RangeAnalysis parts(*trace, kino::whole_range(*trace));
  const kino::LedgerReport report = kino::ledger_report(parts);
  const kino::LedgerGpu& gpu = report.gpus.front();
  const kino::TimeRange window = gpu.steps[0].range;
  const auto gaps = kino::gap_sums(*trace, gpu.ledger, window);
  std::int64_t idle_ns = 0;
  for (const kino::GapSum& gap : gaps) idle_ns += gap.ns;
  CHECK(idle_ns == 40);
  CHECK(gaps.front().name == "gemm");
  const auto busy = kino::row_intervals(gpu.ledger, window, StepRow::matrix_unknown);
  REQUIRE(busy.size() == 1);
  CHECK(busy[0].range.begin_ns == 30);
  CHECK(busy[0].range.end_ns == 70);
  CHECK(kino::row_intervals(gpu.ledger, window, StepRow::copy).empty());
}

TEST_CASE("the verdict names the largest loss with its time and share") {
  const auto trace = traced_step();
  const kino::RangeAnalysis parts(*trace, kino::whole_range(*trace));
  const kino::LedgerReport report = kino::ledger_report(parts);
  kino::LedgerStep step = report.gpus[0].steps[0];
  step.times = {};
  step.times[StepRow::comm_unsplit] = 60;
  step.times[StepRow::matrix_unknown] = 40;
  const auto verdict = kino::ledger_verdict(*trace, report.gpus[0], step);
  REQUIRE_FALSE(verdict.empty());
  CHECK(verdict[0] == "Exposed collectives take 60 ns of 100 ns (60.0 %).");
  step.times[StepRow::matrix_unknown] = 30;
  step.times[StepRow::idle_python] = 10;
  const auto with_idle = kino::ledger_verdict(*trace, report.gpus[0], step);
  REQUIRE(with_idle.size() >= 2);
  CHECK(with_idle[1] ==
        "Idle time takes 10 ns of 100 ns (10.0 %). The summary lists changes that reduce it.");
  step.times = {};
  step.times[StepRow::matrix_peak] = 100;
  CHECK(kino::ledger_verdict(*trace, report.gpus[0], step)[0] ==
        "No known loss exceeds 1 % of the analyzed time.");
}

TEST_CASE("the verdict names the kind of the device, and does not claim that there are steps") {
  const auto trace = traced_step();
  for (kino::Process& process : std::const_pointer_cast<kino::Trace>(trace)->processes) {
    if (process.gpu) process.title = "NPU 0";
  }
  const kino::RangeAnalysis parts(*trace, kino::whole_range(*trace));
  const kino::LedgerReport report = kino::ledger_report(parts);
  kino::LedgerStep step = report.gpus[0].steps[0];
  step.times = {};
  step.times[StepRow::idle_loader] = 60;
  CHECK(kino::ledger_verdict(*trace, report.gpus[0], step)[0] ==
        "The NPU waits for the data loader for 60 ns of 100 ns (60.0 %).");
  for (std::size_t i = 0; i < kino::kStepRowCount; ++i) {
    step.times = {};
    step.times[static_cast<StepRow>(i)] = 60;
    const std::string verdict = kino::ledger_verdict(*trace, report.gpus[0], step)[0].str();
    CAPTURE(verdict);
    CHECK(verdict.find("GPU") == std::string::npos);
    CHECK(verdict.find("step") == std::string::npos);
  }
}

TEST_CASE("the typical step has little unknown idle time, also if times are near the range of int64") {
  const auto trace = traced_step();
  const kino::RangeAnalysis parts(*trace, kino::whole_range(*trace));
  kino::LedgerReport report = kino::ledger_report(parts);
  kino::LedgerGpu& gpu = report.gpus[0];
  constexpr std::int64_t kEndless = INT64_MAX / 2;
  gpu.steps[0].range = {0, kEndless};
  gpu.steps[0].times[StepRow::idle_unknown] = kEndless / 25;  // 4 %, and 100 times this is negative
  gpu.steps.push_back({});
  gpu.steps[1].range = {0, kEndless};
  CHECK(gpu.typical_step() == 1);
}

TEST_CASE("the typical step is one that figures of the whole trace include, unless they include none") {
  const auto trace = traced_step();
  const kino::RangeAnalysis parts(*trace, kino::whole_range(*trace));
  kino::LedgerReport report = kino::ledger_report(parts);
  kino::LedgerGpu& gpu = report.gpus[0];
  CHECK(gpu.steps[0].used);
  gpu.steps.resize(3);
  for (std::size_t i = 0; i < 3; ++i) gpu.steps[i].range = {0, 100 + static_cast<std::int64_t>(i)};
  CHECK(gpu.typical_step() == 1);
  gpu.steps[0].used = false;
  gpu.steps[1].used = false;
  CHECK(gpu.typical_step() == 2);
  gpu.steps[2].used = false;
  CHECK(gpu.typical_step() == 1);
}

TEST_CASE("a report marks the cut first step that the summary excludes") {
  kino::EventFixture events;
  // The first of eight steps is busy with work whose launch was not recorded.
  events.kernel("gemm", 0, 90, 0);
  for (std::uint32_t step = 0; step < 8; ++step) {
    const std::int64_t begin = 1000 * std::int64_t{step};
    events.slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(step), begin,
                 1000, "1");
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::int64_t at = begin + 100 + 200 * std::int64_t{i};
      events.launch(at, 5, 10 * step + i + 1).kernel("gemm", at + 20, 90, 10 * step + i + 1);
    }
  }
  const auto trace = events.build();
  const kino::RangeAnalysis parts(*trace, kino::whole_range(*trace));
  const kino::LedgerReport report = kino::ledger_report(parts);
  REQUIRE(report.gpus.size() == 1);
  REQUIRE(report.gpus[0].steps.size() == 8);
  const auto& steps = parts.steps();
  for (std::size_t i = 0; i < 8; ++i) CHECK(report.gpus[0].steps[i].used == kino::is_used(steps[i].use));
  CHECK_FALSE(report.gpus[0].steps[0].used);
}

TEST_CASE("every row has a title, and rows of useful work are no losses") {
  for (std::size_t i = 0; i < kino::kStepRowCount; ++i)
    CHECK_FALSE(kino::english(kino::title_of(static_cast<StepRow>(i))).empty());
  CHECK(kino::is_loss(StepRow::idle_python));
  CHECK_FALSE(kino::is_loss(StepRow::matrix_peak));
  CHECK_FALSE(kino::is_loss(StepRow::optimizer));
}

TEST_CASE("the largest loss is the longest row that is a loss") {
  kino::StepTimes times;
  times[StepRow::optimizer] = 90;
  times[StepRow::matrix_loss] = 20;
  times[StepRow::comm_unsplit] = 30;
  CHECK(kino::largest_loss(times) == StepRow::comm_unsplit);
  CHECK_FALSE(kino::largest_loss(kino::StepTimes{}).has_value());
}
