// Covers: ruler_iterations
// The row below the ruler shows iterations of an inference engine if a trace has no training steps.
#include "app/pages/timeline/overlays/ruler_iterations.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/timeline/step_ruler.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace {

using kino::IterationPhase;
using Lines = std::vector<std::string>;

/// Decode, prefill and decode, 100 ns apart, each with a kernel after 20 ns.
kino::EventFixture served_batches() {
  kino::EventFixture events;
  std::uint32_t id = 0;
  for (const char* const name :
       {"execute_context_0(0)_generation_4(4)", "execute_context_2(64)_generation_0(0)",
        "execute_context_0(0)_generation_4(4)"}) {
    const std::int64_t begin_ns = 100 * id++;
    events.slice(kino::TrackClass::cpu, "user_annotation", name, begin_ns, 50, "1");
    events.launch(begin_ns + 10, 5, id).kernel("nvjet_gemm", begin_ns + 20, 60, id);
  }
  return events;
}

}  // namespace

TEST_CASE("without training steps, the windows of iterations are the intervals of the ruler") {
  const auto trace = served_batches().build();
  const kino::RulerSteps found = kino::find_ruler_steps(*trace, {});
  REQUIRE(found.steps.steps.size() == 3);
  REQUIRE(found.iterations.size() == 3);
  CHECK_FALSE(found.training());
  CHECK(found.steps.steps[1].number == 1);
  CHECK(found.steps.steps[1].range == kino::TimeRange{120, 220});
  CHECK(trace->name_of(found.steps.steps[1].slice) == "execute_context_2(64)_generation_0(0)");
  CHECK(found.iterations[1].phase == IterationPhase::prefill);
  CHECK(found.iterations[1].requests == 2);
  CHECK(found.iterations[1].tokens == 64);
  CHECK(found.iterations[1].left_out.empty());
  CHECK(found.iterations[2].left_out.str() == "cut by the end of the recording");
}

TEST_CASE("the keys N and P go from iteration to iteration") {
  const auto trace = served_batches().build();
  const kino::Steps steps = kino::find_ruler_steps(*trace, {}).steps;
  const kino::TimeView second{118, 0.104, 1000};
  CHECK(kino::next_step_in_view(steps, second, 1) == 2);
  CHECK(kino::next_step_in_view(steps, second, -1) == 0);
}

TEST_CASE("a trace with training steps keeps them on the ruler") {
  kino::EventFixture events = served_batches();
  events.op("ProfilerStep#3", 0, 200);
  const kino::RulerSteps found = kino::find_ruler_steps(*events.build(), {});
  CHECK(found.training());
  REQUIRE(found.steps.steps.size() == 1);
  CHECK(found.steps.steps[0].number == 3);
  CHECK(kino::find_ruler_steps(*kino::EventFixture().build(), {}).steps.steps.empty());
}

TEST_CASE("labels and tooltips of iterations contain what is known") {
  kino::RulerIteration iteration;
  iteration.phase = IterationPhase::decode;
  CHECK(kino::iteration_label(12, iteration) == "12 decode");
  CHECK(kino::iteration_lines(iteration, 646'812) == Lines{"decode", "Window 646.812 µs"});
  iteration.guessed = true;
  iteration.requests = 16;
  iteration.tokens = 1;
  CHECK(kino::iteration_lines(iteration, 646'812) ==
        Lines{"decode (guessed from kernel names)", "16 requests", "1 token", "Window 646.812 µs"});
  iteration = {};
  iteration.requests = -1;
  CHECK(kino::iteration_label(12, iteration) == "12");
  CHECK(kino::iteration_lines(iteration, 646'812) == Lines{"Window 646.812 µs"});
}

TEST_CASE("each phase has its own color") {
  for (const bool dark : {false, true}) {
    const kino::Theme theme = kino::Theme::make(dark);
    std::set<std::uint32_t> colors;
    for (const IterationPhase phase : {IterationPhase::prefill, IterationPhase::decode, IterationPhase::mixed,
                                       IterationPhase::verify, IterationPhase::draft, IterationPhase::idle})
      colors.insert(kino::phase_color(phase, theme));
    CHECK(colors.size() == 6);
    CHECK(kino::phase_color(IterationPhase::unknown, theme) == theme.text_dim);
  }
}

TEST_CASE("the ruler of a made recording of vLLM has all iterations, with the left-out ones marked") {
  const auto file = kino_test::real_data("serving/vllm_graph.json.gz");
  if (!file) return;
  const auto opened = kino_test::open(*file);
  REQUIRE(opened.ok());
  const kino::RulerSteps found = kino::find_ruler_steps(*opened.value().trace, {});
  REQUIRE(found.iterations.size() == 60);
  std::size_t left_out = 0;
  for (const kino::RulerIteration& iteration : found.iterations)
    left_out += iteration.left_out.empty() ? 0 : 1;
  CHECK(left_out == 4);
}
