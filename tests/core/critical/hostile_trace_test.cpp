// Covers: ended_work, activity_graph, critical_path, retiming, slack, graph_window, line_edges, thread_lines
// Graphs of hostile traces: huge and zero durations, contradicting times, overlapping steps, many threads.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/critical/activity_graph.hpp"
#include "core/critical/critical_path.hpp"
#include "core/critical/ended_work.hpp"
#include "core/critical/retiming.hpp"
#include "core/critical/slack.hpp"
#include "core/critical/what_if.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::TrackClass;

/// Checks that the path fills the window, that an unchanged replay is exact, and that slack is not negative.
kino::ActivityGraph check_graph(const kino::Trace& trace) {
  kino::ActivityGraph graph = kino::activity_graph(trace);
  CHECK(graph.order.size() == graph.size());
  const kino::CriticalPath path = kino::critical_path(graph);
  std::int64_t at_ns = graph.window.begin_ns;
  for (const kino::PathPiece& piece : path.pieces) {
    CHECK(piece.range.begin_ns == at_ns);
    at_ns = piece.range.end_ns;
  }
  CHECK(at_ns == graph.window.end_ns);
  CHECK(kino::replayed(graph, {}, kino::Reading::kept).length_ns == graph.window.length_ns());
  const std::vector<std::int64_t> slacks = kino::node_slacks(graph);
  CHECK(std::ranges::none_of(slacks, [](std::int64_t slack_ns) { return slack_ns < 0; }));
  return graph;
}

}  // namespace

TEST_CASE("durations near the range of int64 do not overflow") {
  constexpr std::int64_t kEndless = INT64_MAX / 2;
  kino::EventFixture events;
  std::uint32_t id = 0;
  for (const char* thread : {"1", "2"}) {
    events.op("aten::mm", 0, kEndless, thread);
    for (const std::int64_t at : {3, 4, 5}) {
      events.launch(at, kEndless - 2 * at, ++id, thread);
      events.kernel("gemm", at + 1, kEndless, id, thread);
    }
  }
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaDeviceSynchronize", 10, kEndless - 20, "1");
  const auto trace = events.build();
  const kino::ActivityGraph graph = check_graph(*trace);
  for (const std::string setting : {"compute=1000", "cpu=1000", "graphs", "stream:1"}) {
    CAPTURE(setting);
    const auto what_if = kino::parse_what_if(graph, std::span(&setting, 1));
    REQUIRE(what_if.ok());
    CHECK(kino::forecast(graph, what_if.value()).length_ns >= 0);
  }
}

TEST_CASE("a kernel that starts seconds before the end of the one before it keeps its time") {
  kino::EventFixture events;
  constexpr std::int64_t kSecond = 1'000'000'000;
  events.op("aten::mm", 0, 1000)
      .launch(10, 10, 1)
      .launch(30, 10, 2)
      .kernel("long", 100, 20 * kSecond, 1)
      .kernel("late", 100 + 12 * kSecond, 30 * kSecond, 2);
  check_graph(*events.build());
}

TEST_CASE("events without length at one time have a path") {
  kino::EventFixture events;
  for (std::uint32_t i = 0; i < 400; ++i) {
    events.launch(0, 0, i + 1).kernel("gemm", 0, 0, i + 1, std::to_string(i));
    events.slice(TrackClass::cpu, "cuda_runtime", "cudaDeviceSynchronize", 0, 0, "1");
  }
  events.op("aten::mm", 0, 100);
  check_graph(*events.build());
}

TEST_CASE("random traces with contradicting times have sorted graphs and exact replays") {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t end) { return static_cast<std::int64_t>(random() % end); };
  for (int round = 0; round < 60; ++round) {
    kino::EventFixture events;
    for (std::uint32_t id = 1; id <= 60; ++id) {
      const std::string thread = std::to_string(below(3));
      const std::string stream = std::to_string(below(3));
      const std::int64_t at_ns = 1000 * below(2000);
      const char* const name = id % 5 == 0   ? "cudaMemcpyAsync"
                               : id % 5 == 1 ? "cudaStreamSynchronize"
                               : id % 5 == 2 ? "cudaStreamWaitEvent"
                                             : "cudaLaunchKernel";
      events.slice(TrackClass::cpu, "cuda_runtime", name, at_ns, 1000 * below(60), thread, id);
      events.slice(TrackClass::gpu, id % 5 == 0 ? "gpu_memcpy" : "kernel", "work",
                   at_ns + 1000 * (below(50) - 5), 1000 * below(200), stream, id % 5 == 1 ? 0 : id);
      if (id % 20 == 0) {
        events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(id),
                     1000 * below(1500), 1000 * below(900), "0");
      }
    }
    check_graph(*events.build());
  }
}

TEST_CASE("work in overlapping steps belongs to the first of them") {
  kino::EventFixture events;
  for (int step = 0; step < 3; ++step) {
    events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(step), 100 * step,
                 100'000 - 200 * step, "1");
  }
  for (std::uint32_t i = 1; i <= 5; ++i)
    events.launch(10'000 * i, 1000, i).kernel("gemm", 10'000 * i + 2000, 5000, i);
  const auto trace = events.build();
  const kino::ActivityGraph graph = check_graph(*trace);
  std::size_t nodes = 0;
  for (const auto& of_step : graph.ranks[0].step_nodes) nodes += of_step.size();
  CHECK(nodes == 3 + 5);  // ends of steps and of kernels, each once
}

TEST_CASE("many threads that launch work at the same time have a limited number of lines") {
  kino::EventFixture events;
  for (std::uint32_t i = 1; i <= 300; ++i)
    events.launch(0, 1000, i, std::to_string(i)).kernel("gemm", 2000, 1000, i, std::to_string(i));
  const auto trace = events.build();
  const kino::ActivityGraph graph = check_graph(*trace);
  CHECK(graph.ranks[0].lines.size() == kino::ThreadLine::kMostLines);
}

TEST_CASE("the work that ended last is that of a search through all work") {
  std::mt19937 random(3);
  const auto below = [&](std::uint32_t end) { return static_cast<std::int64_t>(random() % end); };
  for (int round = 0; round < 50; ++round) {
    kino::RankWork works;
    for (std::uint32_t i = 0; i < 40; ++i) {
      works.start_ns.push_back(0);
      works.end_ns.push_back(below(30));
      const bool launched = below(4) > 0;
      works.launch.push_back(launched ? kino::SliceId{i} : kino::kNoSlice);
      works.call_begin_ns.push_back(launched ? below(30) : kino::RankWork::kNoTime);
      works.by_end.push_back(i);
      if (launched) works.by_launch.push_back(i);
    }
    std::ranges::stable_sort(works.by_end, {}, [&](std::uint32_t work) { return works.end_ns[work]; });
    std::ranges::stable_sort(works.by_launch, {},
                             [&](std::uint32_t work) { return works.call_begin_ns[work]; });
    std::vector<kino::EndedQuery> queries;
    for (int i = 0; i < 30; ++i) queries.push_back({below(35), below(35)});
    const std::vector<std::uint32_t> found = kino::last_ended(works, queries);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      std::uint32_t want = kino::RankWork::kNone;
      for (const std::uint32_t work : works.by_end) {
        if (works.launched(work) && works.call_begin_ns[work] < queries[i].launched_before_ns &&
            works.end_ns[work] <= queries[i].ended_by_ns)
          want = work;
      }
      CHECK(found[i] == want);
    }
  }
}
