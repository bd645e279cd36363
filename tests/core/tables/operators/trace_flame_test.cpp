// Covers: trace_flame
// Flame graphs of a trace: self times by stack, and GPU work below the stack of its launch.
#include "core/tables/operators/trace_flame.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include "core/trace/links/gpu_work.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::FlameDirection;
using kino::FlameTime;
using Lines = std::vector<std::string>;

std::shared_ptr<const kino::Trace> small_trace() {
  return EventFixture()
      .slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 100, "1")
      .slice(kino::TrackClass::cpu, "python_function", "net.py(3): forward", 10, 60, "1")
      .op("aten::mm", 20, 30)
      .launch(25, 5, 1)
      .kernel("gemm", 40, 50, 1)
      .slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#2", 100, 50, "1")
      .kernel("stray", 200, 7, 9)
      .build();
}

Lines folded(const kino::Trace& trace, kino::TraceFlameParams question) {
  if (question.range.length_ns() == 0) question.range = kino::whole_range(trace);
  std::istringstream text(
      kino::folded_text(kino::trace_flame(trace, question, kino::default_libraries(), "unknown launch")));
  Lines lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

TEST_CASE("shows self time by stack, with all steps as one frame") {
  const auto trace = small_trace();
  CHECK(folded(*trace, {}) == Lines{"ProfilerStep* 90", "ProfilerStep*;forward 30",
                                    "ProfilerStep*;forward;aten::mm 25",
                                    "ProfilerStep*;forward;aten::mm;cudaLaunchKernel 5"});
  kino::TraceFlameParams bottom_up;
  bottom_up.direction = FlameDirection::bottom_up;
  bottom_up.range = kino::whole_range(*trace);
  const auto graph = kino::trace_flame(*trace, bottom_up, kino::default_libraries(), "unknown launch");
  CHECK(graph.tree.nodes[0].total == 150);
  CHECK(graph.tree.nodes[0].child_count == 4);
}

TEST_CASE("clips stacks to a range") {
  const auto trace = small_trace();
  CHECK(folded(*trace, {.range = {15, 22}}) ==
        Lines{"ProfilerStep*;forward 5", "ProfilerStep*;forward;aten::mm 2"});
}

TEST_CASE("shows GPU time below the stack of the launch, even before the range") {
  const auto trace = small_trace();
  const std::string stack = "ProfilerStep*;forward;aten::mm;cudaLaunchKernel;gemm ";
  CHECK(folded(*trace, {.range = {}, .time = FlameTime::device}) ==
        Lines{stack + "50", "unknown launch;stray 7"});
  CHECK(folded(*trace, {.range = {80, 200}, .time = FlameTime::device}) == Lines{stack + "10"});
}

TEST_CASE("makes an empty flame graph without slices") {
  const auto trace = EventFixture().build();
  CHECK(kino::trace_flame(*trace, {}, kino::default_libraries(), "").tree.empty());
}

TEST_CASE("dims frames of libraries and of the autograd engine") {
  const auto trace = EventFixture()
                         .slice(kino::TrackClass::cpu, "python_function", "net.py(3): forward", 0, 100, "1")
                         .slice(kino::TrackClass::cpu, "python_function",
                                "torch/nn/modules/module.py(7): _call_impl", 5, 80, "1")
                         .slice(kino::TrackClass::cpu, "python_function",
                                "/v/site-packages/vllm/worker.py(9): run", 10, 60, "1")
                         .op("autograd::engine::evaluate_function: MmBackward0", 20, 30)
                         .op("aten::mm", 25, 10)
                         .build();
  const kino::FlameGraph graph =
      kino::trace_flame(*trace, {kino::whole_range(*trace), FlameTime::cpu, FlameDirection::top_down},
                        kino::default_libraries(), "");
  const auto dim = [&](std::string_view name) {
    const auto found = std::ranges::find(graph.frames, name, &kino::FlameFrame::name);
    REQUIRE(found != graph.frames.end());
    return found->dim;
  };
  CHECK_FALSE(dim("forward"));
  CHECK(dim("_call_impl"));
  CHECK_FALSE(dim("run"));
  CHECK(dim("autograd::engine::evaluate_function: MmBackward0"));
  CHECK_FALSE(dim("aten::mm"));
}
