// Covers: activity_graph, critical_path, path_cause, graph_window, slack, retiming, what_if, thread_lines, rank_work,
//   waiting_calls, line_nodes, gpu_dependences, event_waits, graph_collectives, rank_clock, critical_tables
#include "core/critical/critical_path.hpp"

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/critical/activity_graph.hpp"
#include "core/critical/retiming.hpp"
#include "core/critical/slack.hpp"
#include "core/critical/waiting_calls.hpp"
#include "core/critical/what_if.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::PathCause;

/// An operator launches a kernel, which ends after the thread.
std::shared_ptr<const kino::Trace> launched_kernel() {
  kino::EventFixture events;
  events.op("aten::mm", 0, 100'000).launch(10'000, 10'000, 1).kernel("gemm", 30'000, 200'000, 1);
  return events.build();
}

std::int64_t length_with(const kino::ActivityGraph& graph, const std::string& setting) {
  const auto what_if = kino::parse_what_if(graph, std::span(&setting, 1));
  REQUIRE(what_if.ok());
  return kino::forecast(graph, what_if.value()).length_ns;
}

}  // namespace

TEST_CASE("the path leads from the thread through the launch to the kernel, and fills the window") {
  const auto trace = launched_kernel();
  const kino::ActivityGraph graph = kino::activity_graph(*trace);
  const kino::CriticalPath path = kino::critical_path(graph);
  CHECK(graph.window == kino::TimeRange{0, 230'000});
  CHECK(path.causes[kino::index_of_cause(PathCause::op)] == 10'000);
  CHECK(path.causes[kino::index_of_cause(PathCause::launch_call)] == 10'000);
  CHECK(path.causes[kino::index_of_cause(PathCause::launch_latency)] == 10'000);
  CHECK(path.causes[kino::index_of_cause(PathCause::compute)] == 200'000);
  CHECK(std::accumulate(path.causes.begin(), path.causes.end(), std::int64_t{0}) == 230'000);
  CHECK(path.explained(graph.window) == 1.0);
}

TEST_CASE("time beyond 20 us between launch and kernel is unexplained") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 40'000).launch(10'000, 10'000, 1).kernel("gemm", 70'000, 100'000, 1);
  const auto trace = events.build();
  const kino::ActivityGraph graph = kino::activity_graph(*trace);
  const kino::CriticalPath path = kino::critical_path(graph);
  CHECK(path.causes[kino::index_of_cause(PathCause::launch_latency)] == 20'000);
  CHECK(path.causes[kino::index_of_cause(PathCause::unexplained)] == 30'000);
}

TEST_CASE("the end does not depend on a kernel that nothing waits for, and the last kernel is critical") {
  const auto trace = launched_kernel();
  const kino::ActivityGraph graph = kino::activity_graph(*trace);
  CHECK(kino::work_slacks(graph.ranks.front(), kino::node_slacks(graph)) == std::vector<std::int64_t>{0});
  kino::EventFixture events;
  events.op("aten::mm", 0, 500'000).launch(10'000, 10'000, 1).kernel("gemm", 30'000, 10'000, 1);
  const auto idle = events.build();
  const kino::ActivityGraph other = kino::activity_graph(*idle);
  CHECK(kino::work_slacks(other.ranks.front(), kino::node_slacks(other)) ==
        std::vector<std::int64_t>{kino::kNoSlack});
}

TEST_CASE("the slack of a trace's work is found by slice, unless too little is explained") {
  const auto trace = launched_kernel();
  const kino::TraceSlacks slacks = kino::trace_slacks(*trace);
  CHECK(slacks.slack_of(kino::slice_named(*trace, "gemm")) == 0);
  CHECK_FALSE(slacks.slack_of(kino::slice_named(*trace, "aten::mm")).has_value());
  CHECK_FALSE(slacks.slack_of(kino::kNoSlice).has_value());
  kino::EventFixture events;
  events.op("aten::mm", 0, 40'000).launch(10'000, 10'000, 1).kernel("gemm", 500'000, 100'000, 1);
  const auto late = events.build();
  CHECK_FALSE(kino::trace_slacks(*late).slack_of(kino::slice_named(*late, "gemm")).has_value());
}

TEST_CASE("forecasts scale only the costs that a setting names") {
  const auto trace = launched_kernel();
  const kino::ActivityGraph graph = kino::activity_graph(*trace);
  CHECK(length_with(graph, "compute=0.5") == 130'000);
  CHECK(length_with(graph, "kernel:gemm=0") == 100'000);  // then the thread ends last
  CHECK(length_with(graph, "cpu=0") == 210'000);
  CHECK(length_with(graph, "launch=0") == 220'000);
  CHECK(length_with(graph, "copy=0") == 230'000);
  CHECK(kino::replayed(graph, {}, kino::Reading::kept).length_ns == 230'000);
}

TEST_CASE("a call that waits until the end of its step leads to the work that it waits for") {
  kino::EventFixture events;
  events.slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 305'000, "1");
  events.launch(10'000, 10'000, 1).kernel("gemm", 25'000, 275'000, 1);
  events.slice(kino::TrackClass::cpu, "cuda_runtime", "cudaDeviceSynchronize", 20'000, 285'000, "1");
  const auto trace = events.build();
  const kino::ActivityGraph graph = kino::activity_graph(*trace);
  const kino::CriticalPath path = kino::critical_path(graph);
  CHECK(path.causes[kino::index_of_cause(PathCause::compute)] == 275'000);
  CHECK(path.causes[kino::index_of_cause(PathCause::sync_call)] == 0);
}

TEST_CASE("without waits that are concluded from times, their gaps stay as recorded") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 50'000).launch(10'000, 10'000, 1).launch(25'000, 10'000, 2);
  events.kernel("first", 30'000, 200'000, 1, "7").kernel("second", 235'000, 100'000, 2, "20");
  const auto trace = events.build();
  const kino::ActivityGraph graph = kino::activity_graph(*trace);
  REQUIRE(graph.edge_counts[static_cast<std::size_t>(kino::EdgeKind::wait_times)] == 1);
  const std::int64_t recorded_ns = graph.window.length_ns();
  CHECK(kino::replayed(graph, {}, kino::Reading::no_inferred).length_ns == recorded_ns);
  const std::string setting = "compute=0.5";
  const auto what_if = kino::parse_what_if(graph, std::span(&setting, 1));
  REQUIRE(what_if.ok());
  const kino::Forecast forecast = kino::forecast(graph, what_if.value());
  CHECK(forecast.length_ns == recorded_ns - 150'000);
  CHECK(forecast.highest_ns == recorded_ns - 50'000);
}

TEST_CASE("invalid settings of a forecast are rejected with a reason") {
  const auto trace = launched_kernel();
  const kino::ActivityGraph graph = kino::activity_graph(*trace);
  for (const std::string wrong : {"speed=2", "compute=", "compute=-1", "kernel:conv=0.5", "rank:7.cpu=0",
                                  "rank:x=median", "stream:99=7", "nonsense", "compute=1e9"}) {
    CAPTURE(wrong);
    const auto what_if = kino::parse_what_if(graph, std::span(&wrong, 1));
    CHECK(!what_if.ok());
    if (!what_if.ok()) CHECK(!what_if.error().what.empty());
  }
}

TEST_CASE("an empty trace has an empty path") {
  kino::EventFixture events;
  const auto trace = events.build();
  const kino::ActivityGraph graph = kino::activity_graph(*trace);
  CHECK(kino::critical_path(graph).pieces.empty());
  CHECK(kino::usual_forecasts(graph).empty() == false);
}

TEST_CASE("calls that wait are recognized by name") {
  using kino::WaitTarget;
  CHECK(kino::wait_target("cudaDeviceSynchronize") == WaitTarget::device);
  CHECK(kino::wait_target("hipStreamSynchronize") == WaitTarget::stream);
  CHECK(kino::wait_target("cudaEventSynchronize") == WaitTarget::event);
  CHECK(kino::wait_target("cudaMemcpyAsync") == WaitTarget::copy);
  CHECK(kino::wait_target("cudaFree") == WaitTarget::memory);
  CHECK(kino::wait_target("cudaLaunchKernel") == WaitTarget::none);
}
