// Covers: trace_overview, step_costs, findings
// The first page of a trace: steps, the mean step, work in it, and findings by step.
#include "core/tables/summary/trace_overview.hpp"

#include <string>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/findings_fixture.hpp"

using namespace kino;

namespace {

TraceOverview overview_of(const Trace& trace) {
  return trace_overview(RangeAnalysis(trace, whole_range(trace)), ByteUnits::decimal);
}

/// Steps of 100 ms: the loader takes 30 ms in even steps and 40 ms in odd ones. Then two kernels fill the
/// step.
std::shared_ptr<const Trace> loader_steps(int steps = 4) {
  EventFixture events;
  for (int i = 0; i < steps; ++i) {
    const std::int64_t begin = i * 100 * kMs;
    const std::int64_t load = i % 2 == 0 ? 30 * kMs : 40 * kMs;
    const auto first = static_cast<std::uint32_t>(2 * i + 1);
    add_profiler_step(events, i, begin, 100 * kMs);
    events.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", begin, load);
    events.op("aten::mm", begin + load, 2 * kMs)
        .launch(begin + load, 10, first)
        .launch(begin + load + 20, 10, first + 1);
    events.kernel("gemm", begin + load, 40 * kMs, first);
    events.kernel("add", begin + load + 40 * kMs, 60 * kMs - load, first + 1);
  }
  return events.build();
}

}  // namespace

TEST_CASE("the groups of the mean step add up to it, and those of each step to the step") {
  const auto trace = loader_steps();
  const TraceOverview overview = overview_of(*trace);
  const FindingBase& base = overview.summary.findings.base;
  CHECK(overview.of_gpu);
  CHECK(base.mean_ns == 100 * kMs);
  REQUIRE(overview.gpus.size() == 1);
  const OverviewGpu& gpu = overview.gpus.front();
  CHECK(gpu.mean.total() == base.mean_ns);
  CHECK(gpu.mean[StepGroup::idle_loader] == 35 * kMs);
  CHECK(gpu.mean[StepGroup::compute] == 65 * kMs);
  REQUIRE(gpu.parts.size() == base.all.size());
  for (std::size_t i = 0; i < base.all.size(); ++i)
    CHECK(gpu.parts[i].total() == base.all[i].range.length_ns());
  CHECK(gpu.parts[1][StepGroup::idle_loader] == 40 * kMs);
}

TEST_CASE("findings have their time in each step") {
  const auto trace = loader_steps();
  const TraceOverview overview = overview_of(*trace);
  const Finding* const loader = of_kind(overview.summary.findings, FindingKind::data_loading);
  REQUIRE(loader != nullptr);
  CHECK(loader->step_ns == std::vector<std::int64_t>{30 * kMs, 40 * kMs, 30 * kMs, 40 * kMs});
  CHECK(loader->won_ns == 35 * kMs);
  CHECK(loader->code.starts_with("DataLoader(..., num_workers="));
  REQUIRE(overview.pictures.size() == overview.summary.findings.list.size());
  CHECK_FALSE(overview.pictures.front().lanes.empty());
}

TEST_CASE("steps that are left out have times as well, and are not part of the mean") {
  EventFixture events;
  for (int i = 0; i < 6; ++i) {
    const std::int64_t begin = i * 100 * kMs;
    const auto correlation = static_cast<std::uint32_t>(i + 1);
    add_profiler_step(events, i, begin, 100 * kMs);
    events.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", begin, 20 * kMs);
    // The launch of the first kernel is not in the trace.
    if (i > 0) events.op("aten::mm", begin + 20 * kMs, 10).launch(begin + 20 * kMs, 5, correlation);
    events.kernel("gemm", begin + 20 * kMs, 80 * kMs, correlation);
  }
  const auto trace = events.build();
  const Findings findings = findings_of(*trace);
  REQUIRE(findings.base.all.size() == 6);
  CHECK_FALSE(findings.base.all.front().used);
  CHECK(findings.base.windows.size() == 5);
  const Finding* const loader = of_kind(findings, FindingKind::data_loading);
  REQUIRE(loader != nullptr);
  CHECK(loader->won_ns == 20 * kMs);
  REQUIRE(loader->step_ns.size() == 6);
  for (std::size_t i = 1; i < 6; ++i) CHECK(loader->step_ns[i] == 20 * kMs);
}

TEST_CASE("kernels and operators have their count and time per step") {
  const auto trace = loader_steps();
  const TraceOverview overview = overview_of(*trace);
  REQUIRE(overview.kernels.rows.size() == 2);
  CHECK(trace->name_text(overview.kernels.rows[0].name) == "gemm");
  CHECK(overview.kernels.rows[0].per_window == 1);
  CHECK(overview.kernels.rows[0].mean_ns == 40 * kMs);
  CHECK(overview.kernels.rows[1].mean_ns == 25 * kMs);
  CHECK(overview.kernels.rows[0].share + overview.kernels.rows[1].share == doctest::Approx(1));
  REQUIRE(overview.operators.rows.size() == 1);
  CHECK(trace->name_text(overview.operators.rows[0].name) == "aten::mm");
  CHECK(overview.operators.rows[0].mean_ns == 65 * kMs);
  CHECK(overview.operators.rows[0].share == doctest::Approx(1));
}

TEST_CASE("a trace without GPU work divides the time of the CPU") {
  EventFixture events;
  for (int i = 0; i < 3; ++i) {
    add_profiler_step(events, i, i * 100 * kMs, 100 * kMs);
    events.op("aten::addmm", i * 100 * kMs + 10 * kMs, 60 * kMs);
  }
  const auto trace = events.build();
  const TraceOverview overview = overview_of(*trace);
  CHECK_FALSE(overview.of_gpu);
  CHECK(overview.kernels.rows.empty());
  REQUIRE(overview.gpus.size() == 1);
  CHECK(overview.gpus.front().mean.total() == 100 * kMs);
  REQUIRE(overview.operators.rows.size() == 1);
  CHECK(overview.operators.rows[0].mean_ns == 60 * kMs);
  CHECK(overview.operators.rows[0].share == doctest::Approx(0.6));
  CHECK_FALSE(overview.memory.code.empty());
}

TEST_CASE("an empty trace has an overview without content, but says how to record it") {
  const auto trace = EventFixture().build();
  const TraceOverview overview = overview_of(*trace);
  CHECK(overview.gpus.empty());
  CHECK(overview.kernels.rows.empty());
  CHECK(overview.operators.rows.empty());
  CHECK(overview.summary.findings.list.empty());
  CHECK(overview.memory.code == "profile(profile_memory=True)");
}

TEST_CASE("GPUs of one trace have separate means") {
  EventFixture events;
  add_profiler_step(events, 0, 0, 100 * kMs);
  events.kernel("gemm", 0, 60 * kMs);
  const auto trace = events.build();
  const TraceOverview overview = overview_of(*trace);
  CHECK(overview.gpu_count == 1);
  CHECK(overview.gpus.front().mean[StepGroup::compute] == 60 * kMs);
}
