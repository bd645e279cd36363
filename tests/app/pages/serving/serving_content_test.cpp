// Covers: serving_content, serving_state
// Computed iterations with their sums and bars, the verdict, and the keys.
#include "app/pages/serving/serving_content.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/serving/serving_state.hpp"
#include "tests/fixtures/engine_fixture.hpp"

using kino::ServingVerdict;
using kino_test::EngineFixture;

namespace {

constexpr std::int64_t kMicrosecond = 1'000;

std::shared_ptr<const kino::ServingContent> engine_content(EngineFixture& engine) {
  return kino::serving_content(engine.build(), {});
}

kino::Iteration iteration_of_length(std::int64_t length_ns) {
  kino::Iteration iteration;
  iteration.window = kino::TimeRange{0, length_ns};
  return iteration;
}

/// Ten decodes of 100 us, with prefills of 200 us after the third and the sixth one.
std::shared_ptr<const kino::ServingContent> stalled_engine() {
  EngineFixture engine;
  engine.decode(3).prefill(200 * kMicrosecond).decode(3).prefill(200 * kMicrosecond).decode(4);
  return engine_content(engine);
}

}  // namespace

TEST_CASE("sums cover the iterations in the statistics, and parts add up to the windows") {
  const auto content = stalled_engine();
  REQUIRE(content->iterations.list.size() == 12);
  CHECK(content->used() == 11);  // the recording cuts the last one
  CHECK(content->left_out[static_cast<std::size_t>(kino::LeftOut::cut)] == 1);
  CHECK(content->used_ns == 9 * 100 * kMicrosecond + 2 * 200 * kMicrosecond);
  CHECK(content->decode_ns == 9 * 100 * kMicrosecond);
  for (const kino::IterationGroup& group : content->groups)
    CHECK(group.times.total() == group.windows.sum_ns);
  CHECK(content->plot_top_ns == 200 * kMicrosecond);
  CHECK(content->bars.size() == 12);
  CHECK(content->generates());
}

TEST_CASE("stalls above 10 % of the time are the verdict") {
  const auto content = stalled_engine();
  REQUIRE(content->stalls.size() == 2);
  CHECK(content->stalled_ns == 400 * kMicrosecond);
  CHECK(content->longest_stall_ns == 200 * kMicrosecond);
  CHECK(content->verdict() == ServingVerdict::stalls);
  CHECK(content->stall_of(3) == 0);
  CHECK(content->stall_of(7) == 1);
  CHECK_FALSE(content->stall_of(4).has_value());
}

TEST_CASE("idle time above 20 % of decode is the verdict, and otherwise the largest part") {
  EngineFixture idle;
  idle.decode(6, 70 * kMicrosecond);
  CHECK(engine_content(idle)->verdict() == ServingVerdict::idle);
  EngineFixture busy;
  busy.decode(6, 90 * kMicrosecond);
  const auto content = engine_content(busy);
  CHECK(content->decode_idle_ns == 5 * 10 * kMicrosecond);
  CHECK(content->verdict() == ServingVerdict::largest_part);
}

TEST_CASE("without a steady state, the verdict says so before anything else") {
  kino::ServingContent content;
  content.iterations.list.push_back(iteration_of_length(10));
  CHECK(content.verdict() == ServingVerdict::none_used);
  content.groups.resize(2);
  content.groups[0].phase = kino::IterationPhase::prefill;
  content.groups[0].steady = kino::SteadyState::missing;
  content.groups[1].phase = kino::IterationPhase::decode;
  content.used_ns = 100;
  content.stalled_ns = 50;
  CHECK(content.main_group() == 1);
  CHECK(content.verdict() == ServingVerdict::stalls);
  content.groups[1].steady = kino::SteadyState::missing;
  CHECK(content.verdict() == ServingVerdict::no_steady_state);
}

TEST_CASE("a trace without iterations has the reason and nothing else") {
  EngineFixture none;
  const auto content = engine_content(none);
  CHECK(content->verdict() == ServingVerdict::no_iterations);
  CHECK(content->iterations.reason == kino::NoIterations::no_gpu_work);
  CHECK(content->bars.empty());
  CHECK_FALSE(content->main_group().has_value());
}

TEST_CASE("with too many iterations, a bar is the longest of several") {
  std::vector<kino::Iteration> list;
  for (const std::int64_t length_ns : {5, 9, 7, 1, 3}) list.push_back(iteration_of_length(length_ns));
  const std::vector<kino::PlotBar> bars = kino::plot_bars(list, 2);
  REQUIRE(bars.size() == 2);
  CHECK(bars[0].first == 0);
  CHECK(bars[0].end == 3);
  CHECK(bars[0].longest == 1);
  CHECK(bars[1].end == 5);
  CHECK(bars[1].longest == 4);
  CHECK(kino::plot_bars(list, 5).size() == 5);
  CHECK(kino::plot_bars({}, 5).empty());
  CHECK(kino::plot_bars(list, 0).empty());
}

TEST_CASE("keys go through stalls, iterations and groups, and show a window in the timeline") {
  kino::ServingState state;
  state.step_stall(1);
  state.open_selection();
  CHECK(state.requests.empty());
  state.content = stalled_engine();
  state.step_stall(1);
  CHECK(state.iteration == 3);
  state.step_stall(1);
  CHECK(state.iteration == 7);
  state.step_stall(1);
  CHECK(state.iteration == 3);
  state.step_stall(-1);
  CHECK(state.iteration == 7);
  state.step_iteration(1);
  CHECK(state.iteration == 8);
  state.step_stall(-1);
  CHECK(state.iteration == 7);
  state.open_selection();
  REQUIRE(state.requests.size() == 1);
  const auto* const shown = std::get_if<kino::ShowRange>(&state.requests[0]);
  REQUIRE(shown != nullptr);
  CHECK(shown->range == state.content->iterations.list[7].window);
  CHECK(shown->slice == state.content->iterations.list[7].slice);
  CHECK(state.shown_group()->phase == kino::IterationPhase::decode);
  state.step_group(1);
  CHECK(state.shown_group()->phase == kino::IterationPhase::prefill);
  state.step_group(1);
  CHECK(state.group == state.content->groups.size() - 1);
}
