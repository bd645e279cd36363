// Covers: view_sums
// Sums of the visible time: its parts, kernels and operators.
#include "app/pages/inspector/view_sums.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/ui/text/texts.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/findings_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::kMs;
using kino::TimeRange;
using kino::Trace;
using kino::ViewSums;

ViewSums sums_of(const Trace& trace, TimeRange range) {
  const kino::RangeAnalyses analyses(trace);
  return kino::view_sums(analyses, kino::view_base(analyses), range);
}

std::int64_t part_ns(const ViewSums& sums, const std::string& label) {
  std::int64_t ns = 0;
  for (const kino::TimePart& part : sums.parts) ns += part.label() == label ? part.ns : 0;
  return ns;
}

std::int64_t all_parts_ns(const ViewSums& sums) {
  std::int64_t ns = 0;
  for (const kino::TimePart& part : sums.parts) ns += part.ns;
  return ns;
}

/// Two steps of 100 ms. In each, a data loader takes 40 ms, an operator launches two kernels of 30 ms and
/// 20 ms, and the GPU is idle for the last 10 ms.
std::shared_ptr<const Trace> two_steps() {
  EventFixture events;
  for (int i = 0; i < 2; ++i) {
    const std::int64_t begin = i * 100 * kMs;
    const auto first = static_cast<std::uint32_t>(2 * i + 1);
    kino::add_profiler_step(events, i, begin, 100 * kMs);
    events.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", begin, 40 * kMs);
    events.op("aten::mm", begin + 40 * kMs, 2 * kMs);
    events.launch(begin + 40 * kMs, 0, first);
    events.launch(begin + 41 * kMs, 0, first + 1);
    events.kernel("gemm", begin + 40 * kMs, 30 * kMs, first);
    events.kernel("add", begin + 70 * kMs, 20 * kMs, first + 1);
  }
  return events.build();
}

}  // namespace

TEST_CASE("the parts of the visible time name the work and the causes of idle time") {
  const auto trace = two_steps();
  const ViewSums sums = sums_of(*trace, {0, 200 * kMs});
  CHECK(sums.of_gpu);
  CHECK(sums.steps == 2);
  CHECK(part_ns(sums, "compute") == 100 * kMs);
  CHECK(part_ns(sums, "idle: data loading") == 80 * kMs);
  CHECK(part_ns(sums, "idle: launch-bound") == 10 * kMs);
  CHECK(part_ns(sums, "idle: no work follows") == 10 * kMs);
  CHECK(all_parts_ns(sums) == 200 * kMs);
  CHECK_FALSE(sums.parts.front().is_idle());
  CHECK(sums.parts.back().is_idle());
}

TEST_CASE("idle time before the first work is not a launch gap") {
  EventFixture events;
  events.launch(0, 10, 1).kernel("first", 80 * kMs, 10 * kMs, 1);
  events.launch(100 * kMs, 10, 2).kernel("second", 120 * kMs, 10 * kMs, 2);
  const auto trace = events.build();
  const ViewSums sums = sums_of(*trace, {0, 130 * kMs});
  CHECK(part_ns(sums, "idle: before the first work") == 80 * kMs);
  CHECK(part_ns(sums, "compute") == 20 * kMs);
  CHECK(all_parts_ns(sums) == 130 * kMs);
  CHECK(part_ns(sums_of(*trace, {90 * kMs, 130 * kMs}), "idle: before the first work") == 0);
}

TEST_CASE("hints explain idle time that other pages divide at another moment") {
  const kino::TimePart late{kino::FindingKind::launch_bound, kMs};
  const kino::TimePart launched{kino::FindingKind::launch_gaps, kMs};
  const kino::TimePart before{kino::Text::inspector_idle_before, kMs};
  CHECK(late.hint().find("Late launch") != std::string::npos);
  CHECK(launched.hint().find("Launch in progress") != std::string::npos);
  CHECK(before.hint().find("launch-bound") != std::string::npos);
  CHECK(kino::TimePart{kino::FindingKind::data_loading, kMs}.hint().empty());
  CHECK(kino::TimePart{kino::SliceKind::compute, kMs}.hint().empty());
  CHECK(kino::TimePart{kino::Text::inspector_idle_tail, kMs}.hint().empty());
}

TEST_CASE("only the visible part of work counts") {
  const auto trace = two_steps();
  const ViewSums sums = sums_of(*trace, {50 * kMs, 80 * kMs});
  CHECK(sums.steps == 1);
  CHECK(part_ns(sums, "compute") == 30 * kMs);
  REQUIRE(sums.kernels.names.size() == 2);
  CHECK(trace->name_text(sums.kernels.names[0].name) == "gemm");
  CHECK(sums.kernels.names[0].total_ns == 20 * kMs);
  CHECK(sums.kernels.names[1].total_ns == 10 * kMs);
  CHECK(sums.kernels.names[0].share == doctest::Approx(2.0 / 3));
}

TEST_CASE("kernels and operators are sorted by time, and the count is that of the whole trace") {
  const auto trace = two_steps();
  const ViewSums sums = sums_of(*trace, {0, 60 * kMs});
  REQUIRE(sums.kernels.names.size() == 1);
  CHECK(sums.kernels.all == 2);
  CHECK(trace->name_of(sums.kernels.names[0].longest) == "gemm");
  REQUIRE(sums.operators.has_value());
  REQUIRE(sums.operators->names.size() == 1);
  CHECK(trace->name_text(sums.operators->names[0].name) == "aten::mm");
  CHECK(sums.operators->names[0].total_ns == 50 * kMs);
  CHECK(sums.operators->names[0].share == doctest::Approx(1));
}

TEST_CASE("at most five names are listed") {
  EventFixture events;
  for (std::uint32_t i = 0; i < 8; ++i) {
    events.launch(i * 10 * kMs, 10, i + 1);
    events.kernel("kernel" + std::to_string(i), i * 10 * kMs + 20, (i + 1) * kMs, i + 1);
  }
  const auto trace = events.build();
  const ViewSums sums = sums_of(*trace, kino::whole_range(*trace));
  REQUIRE(sums.kernels.names.size() == kino::kTopNames);
  CHECK(sums.kernels.all == 8);
  CHECK(trace->name_text(sums.kernels.names[0].name) == "kernel7");
}

TEST_CASE("the time of a trace without GPU work is divided by kind of event") {
  EventFixture events;
  events.op("aten::linear", 0, 60 * kMs).op("aten::addmm", 10 * kMs, 40 * kMs);
  events.op("aten::relu", 80 * kMs, 20 * kMs);
  const auto trace = events.build();
  const ViewSums sums = sums_of(*trace, {0, 100 * kMs});
  CHECK_FALSE(sums.of_gpu);
  CHECK(part_ns(sums, "operator") == 80 * kMs);
  CHECK(part_ns(sums, "no recorded event") == 20 * kMs);
  CHECK(sums.kernels.names.empty());
  REQUIRE(sums.operators.has_value());
  REQUIRE(sums.operators->names.size() == 3);
  CHECK(trace->name_text(sums.operators->names[0].name) == "aten::addmm");
  CHECK(sums.operators->names[0].total_ns == 40 * kMs);
  CHECK(sums.operators->names[0].share == doctest::Approx(0.5));
}

TEST_CASE("a trace without events has no sums") {
  const auto trace = EventFixture().build();
  const ViewSums sums = sums_of(*trace, kino::whole_range(*trace));
  CHECK(sums.kernels.names.empty());
  CHECK(sums.steps == 0);
}

TEST_CASE("the parts add up to the visible time of random traces") {
  std::mt19937 random(7);
  const auto below = [&](int limit) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(limit));
  };
  for (int round = 0; round < 40; ++round) {
    EventFixture events;
    std::int64_t gpu_ns = 0;
    for (std::uint32_t i = 1; i <= 12; ++i) {
      const std::int64_t at = i * 1000 + below(500);
      const bool launched = below(4) > 0;
      if (launched) events.launch(at, below(400), i);
      gpu_ns = std::max(gpu_ns, at) + below(900);
      const std::int64_t length = 1 + below(900);
      events.kernel(below(3) == 0 ? "ncclDevKernel_AllReduce" : "gemm", gpu_ns, length, launched ? i : 0);
      gpu_ns += length;
    }
    const auto trace = events.build();
    const TimeRange whole = kino::whole_range(*trace);
    const std::int64_t begin = whole.begin_ns + below(4000);
    const TimeRange range{begin, begin + 1 + below(8000)};
    const ViewSums sums = sums_of(*trace, range);
    CHECK(all_parts_ns(sums) == range.length_ns());
    for (const kino::TimePart& part : sums.parts) CHECK(part.ns > 0);
  }
}

TEST_CASE("the visible range is the part of the trace that the view shows") {
  const auto trace = two_steps();
  const TimeRange whole = kino::whole_range(*trace);
  CHECK(kino::visible_range(*trace, {-50e6, 1e6, 1000}) == whole);
  CHECK(kino::visible_range(*trace, {10e6, 1e6, 20}) == TimeRange{10 * kMs, 30 * kMs});
  CHECK(kino::visible_range(*trace, {900e6, 1e6, 20}).length_ns() == 0);
}
