// Covers: iterations, iteration, iteration_marks, iteration_windows, part_timeline, iteration_parts, serving_work,
//   training_signs
// Choice of the source, windows and parts: cases by hand.
#include "core/tables/serving/iterations.hpp"

#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

EventFixture& mark(EventFixture& events, const std::string& name, std::int64_t start_ns,
                   std::int64_t duration_ns, const std::string& tid = "1") {
  return events.slice(TrackClass::cpu, "user_annotation", name, start_ns, duration_ns, tid);
}

const std::string kDecode = "execute_context_0(0)_generation_4(4)";
const std::string kPrefill = "execute_context_1(100)_generation_0(0)";

/// Two iterations: the first one has two kernels and a copy, the second one a replay of a graph.
std::shared_ptr<const Trace> two_iterations() {
  EventFixture events;
  mark(events, kPrefill, 0, 50);
  events.launch(10, 5, 1).kernel("nvjet_gemm", 20, 30, 1);
  events.launch(40, 5, 2).kernel("ncclDevKernel_AllReduce_Sum", 40, 20, 2, "8");
  events.launch(60, 5, 3).kernel("other", 80, 10, 3);
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaStreamSynchronize", 95, 15, "1");
  mark(events, kDecode, 120, 30);
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaGraphLaunch", 130, 10, "1", 4);
  events.kernel("flash_fwd_splitkv", 150, 20, 4).kernel("nvjet_gemm", 180, 20, 4);
  return events.build();
}

}  // namespace

TEST_CASE("a window lasts from the first kernel on the main stream to the next iteration's") {
  const auto trace = two_iterations();
  const ServingRun run = find_iterations(*trace);
  const std::vector<Iteration>& list = run.iterations.list;
  CHECK(run.iterations.source == IterationSource::annotation);
  CHECK(run.iterations.family == "vllm");
  REQUIRE(list.size() == 2);
  CHECK(list[0].window == TimeRange{20, 150});
  CHECK(list[0].complete);
  CHECK(list[0].gpu_span_ns == 70);
  CHECK(list[0].busy_ns == 50);  // the collective overlaps the matrix product for 10 ns
  CHECK(list[0].kernels == 3);
  CHECK(list[0].launched_by == LaunchedBy::eager);
  CHECK(list[0].left_out == LeftOut::none);
  CHECK(list[1].window == TimeRange{150, 200});
  CHECK_FALSE(list[1].complete);
  CHECK(list[1].left_out == LeftOut::cut);
  CHECK(list[1].launched_by == LaunchedBy::graph);
}

TEST_CASE("each ns of a window belongs to one part") {
  const auto trace = two_iterations();
  const ServingRun run = find_iterations(*trace);
  const IterationTimes& times = run.iterations.list[0].times;
  CHECK(times[IterationPart::matrix] == 30);
  CHECK(times[IterationPart::all_reduce] == 10);
  CHECK(times[IterationPart::other] == 10);
  CHECK(times[IterationPart::idle_launch] == 20);        // 60 to 80: the call began at 60
  CHECK(times[IterationPart::idle_sync] == 15);          // 95 to 110
  CHECK(times[IterationPart::idle_scheduler] == 15);     // 90 to 95, 110 to 120
  CHECK(times[IterationPart::idle_host] == 10);          // 120 to 130
  CHECK(times[IterationPart::idle_graph_launch] == 20);  // 130 to 150
  CHECK(times.total() == run.iterations.list[0].window_ns());
  CHECK(run.iterations.list[1].times[IterationPart::idle_graph_launch] == 10);
}

TEST_CASE("the order of sources: batch, profiler steps, forward, step") {
  const auto source_of = [](bool batch, int steps, bool request, bool forward, int step_marks) {
    EventFixture events;
    if (batch) mark(events, kDecode, 0, 5);
    for (int i = 0; i < steps; ++i) mark(events, "ProfilerStep#" + std::to_string(i), 100 * i, 90, "2");
    if (request) mark(events, "generate", 0, 300, "3");
    if (forward) mark(events, "execute_model", 10, 5, "4");
    for (int i = 0; i < step_marks; ++i) mark(events, "step " + std::to_string(i), 20 * i, 10, "5");
    events.op("aten::mm", 0, 10);
    return find_iterations(*events.build()).iterations;
  };
  CHECK(source_of(true, 2, false, true, 2).family == "vllm");
  CHECK(source_of(false, 2, true, true, 2).reason == NoIterations::profiler_steps);
  CHECK(source_of(false, 1, false, true, 2).reason == NoIterations::profiler_steps);
  CHECK(source_of(false, 1, true, true, 2).family == "vllm-forward");
  CHECK(source_of(false, 0, false, false, 2).family == "step");
  CHECK(source_of(false, 0, false, false, 1).reason == NoIterations::no_gpu_work);
}

TEST_CASE("training has no iterations from forward annotations") {
  EventFixture events;
  mark(events, "execute_model", 0, 10);
  events.op("Optimizer.step#SGD.step", 20, 5);
  const Iterations found = find_iterations(*events.build()).iterations;
  CHECK(found.reason == NoIterations::training);
  CHECK(found.training.name == "Optimizer.step#SGD.step");
}

TEST_CASE("marks that start inside a kept mark are dropped, and the busiest thread is the engine") {
  EventFixture events;
  mark(events, kDecode, 0, 100).op("x", 0, 1, "9");
  mark(events, kDecode, 50, 100);  // crosses
  mark(events, kDecode, 20, 10);   // nested
  mark(events, kDecode, 100, 10);
  for (int i = 0; i < 3; ++i) mark(events, kPrefill, 100 * i, 10, "2");
  mark(events, kDecode, 0, 10, "3");
  const Iterations found = find_iterations(*events.build()).iterations;
  REQUIRE(found.list.size() == 3);
  CHECK(found.list[0].phase == IterationPhase::prefill);
  REQUIRE(found.others.size() == 2);
  CHECK(found.others[0].count == 2);
  CHECK(found.others[1].count == 1);
}

TEST_CASE("of threads with equally many marks, the greatest text is the engine") {
  EventFixture events;
  mark(events, kDecode, 0, 10, "2");
  mark(events, kPrefill, 0, 10, "10");
  const Iterations found = find_iterations(*events.build()).iterations;
  REQUIRE(found.list.size() == 1);
  CHECK(found.list[0].phase == IterationPhase::decode);
}

TEST_CASE("annotations on the GPU serve if the CPU has none") {
  EventFixture events;
  for (const std::string stream : {"7", "8"})
    events.slice(TrackClass::gpu, "gpu_user_annotation", kDecode, stream == "7" ? 0 : 5, 20, stream);
  events.slice(TrackClass::gpu, "gpu_user_annotation", kDecode, 50, 20, "7");
  events.kernel("k", 2, 10).kernel("k", 55, 5);
  const Iterations found = find_iterations(*events.build()).iterations;
  REQUIRE(found.list.size() == 2);
  CHECK(found.list[0].mark == TimeRange{0, 25});
  CHECK(found.list[0].window == TimeRange{2, 55});
  CHECK(found.list[0].times[IterationPart::idle_unknown] == 43);
  CHECK(found.list[0].launched_by == LaunchedBy::unknown);
}

TEST_CASE("without GPU work, windows last from mark to mark") {
  EventFixture events;
  mark(events, kDecode, 0, 10);
  mark(events, kDecode, 30, 10);
  const Iterations found = find_iterations(*events.build()).iterations;
  REQUIRE(found.list.size() == 2);
  CHECK(found.list[0].window == TimeRange{0, 30});
  CHECK(found.list[0].times[IterationPart::idle_host] == 10);
  CHECK(found.list[0].times[IterationPart::idle_scheduler] == 20);
  CHECK(found.list[1].left_out == LeftOut::cut);
}

TEST_CASE("an iteration without a kernel on the main stream has no window") {
  EventFixture events;
  for (int i = 0; i < 3; ++i) mark(events, kDecode, 100 * i, 50);
  events.launch(10, 5, 1).kernel("k", 20, 10, 1);
  events.launch(210, 5, 2).kernel("k", 220, 10, 2);
  const Iterations found = find_iterations(*events.build()).iterations;
  REQUIRE(found.list.size() == 3);
  CHECK(found.list[0].window == TimeRange{20, 220});
  CHECK_FALSE(found.list[1].window);
  CHECK(found.list[1].left_out == LeftOut::no_window);
}

TEST_CASE("iterations in which code is captured or loaded are left out, with the call") {
  EventFixture events;
  for (int i = 0; i < 3; ++i) {
    mark(events, kDecode, 100 * i, 50);
    events.launch(100 * i + 10, 5, i + 1).kernel("k", 100 * i + 20, 10, i + 1);
  }
  events.slice(TrackClass::cpu, "cuda_driver", "cuModuleLoadData", 120, 5, "2");
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaStreamBeginCapture", 130, 5, "2");
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaStreamBeginCapture", 60, 5, "2");  // between marks
  const auto trace = events.build();
  const Iterations found = find_iterations(*trace).iterations;
  CHECK(found.list[0].left_out == LeftOut::none);
  CHECK(found.list[1].left_out == LeftOut::prepares_code);
  CHECK(trace->name_of(found.list[1].prepares) == "cuModuleLoadData");
}

TEST_CASE("windows are disjoint, and parts add up, whatever the times (random traces)") {
  std::mt19937 random(7);
  const auto below = [&](int limit) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(limit));
  };
  const char* const kernels[] = {"nvjet", "flash", "ncclDevKernel_AllReduce", "argmax", "k"};
  for (int round = 0; round < 60; ++round) {
    EventFixture events;
    for (int i = 1; i <= 40; ++i) {
      mark(events, i % 3 == 0 ? kPrefill : kDecode, below(1000), below(60), std::to_string(1 + below(2)));
      events.launch(below(1000), below(10), i, std::to_string(1 + below(2)));
      events.kernel(kernels[below(5)], below(1000), below(40), below(6) == 0 ? 0 : i,
                    std::to_string(7 + below(2)));
      if (below(4) == 0)
        events.slice(TrackClass::cpu, "cuda_runtime", "cudaDeviceSynchronize", below(1000), 9, "1");
    }
    const Iterations found = find_iterations(*events.build()).iterations;
    std::int64_t end_ns = 0;
    for (const Iteration& iteration : found.list) {
      if (!iteration.window) continue;
      CHECK(iteration.window->begin_ns >= end_ns);
      CHECK(iteration.times.total() == iteration.window_ns());
      end_ns = iteration.window->end_ns;
    }
  }
}

TEST_CASE("a million nested and crossing marks become disjoint ones") {
  std::mt19937 random(3);
  std::vector<IterationMark> marks(1'000'000);
  for (IterationMark& one : marks) {
    const auto begin_ns = static_cast<std::int64_t>(random() % 1'000'000);
    one.range = {begin_ns, begin_ns + static_cast<std::int64_t>(random() % 1'000)};
  }
  keep_disjoint(marks);
  CHECK(marks.size() > 1'000);
  for (std::size_t i = 1; i < marks.size(); ++i)
    REQUIRE(marks[i].range.begin_ns >= marks[i - 1].range.end_ns);
}

TEST_CASE("a graph launch without work changes nothing") {
  EventFixture events;
  mark(events, kDecode, 0, 50);
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaGraphLaunch", 5, 3, "1", 9);
  events.launch(10, 5, 1).kernel("k", 20, 10, 1);
  const Iterations found = find_iterations(*events.build()).iterations;
  REQUIRE(found.list.size() == 1);
  CHECK(found.list[0].launched_by == LaunchedBy::eager);
}

TEST_CASE("a stopped search ends early") {
  std::stop_source source;
  source.request_stop();
  CHECK(find_iterations(*two_iterations(), {}, source.get_token()).groups.empty());
}
