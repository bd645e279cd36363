// Covers: layer_verdict, layer_stack
// Verdicts on stacks that are written by hand: slow layers, single slow copies, and none.
#include "core/tables/layers/layer_verdict.hpp"

#include <array>
#include <random>

#include <doctest/doctest.h>

namespace {

using kino::LayerStack;

/// One copy per layer and pass; `work_ns` returns its work.
template <class Work>
LayerStack stack_of(std::uint32_t layers, std::uint32_t passes, const Work& work_ns) {
  LayerStack stack;
  stack.layers = layers;
  stack.passes.resize(passes);
  for (std::uint32_t pass = 0; pass < passes; ++pass) {
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      kino::LayerCopy copy;
      copy.pass = pass;
      copy.layer = layer;
      copy.cost.work_ns = work_ns(layer, pass);
      stack.copies.push_back(copy);
    }
  }
  return stack;
}

}  // namespace

TEST_CASE("the median of two values is their mean, rounded down") {
  CHECK(kino::integer_median({}) == 0);
  CHECK(kino::integer_median({7}) == 7);
  CHECK(kino::integer_median({4, 9}) == 6);
  CHECK(kino::integer_median({9, 1, 4}) == 4);
}

TEST_CASE("the effect of a layer is its work per mille of the median of the pass") {
  LayerStack stack = stack_of(4, 1, [](std::uint32_t layer, std::uint32_t) {
    return std::array<std::int64_t, 4>{58845, 58431, 57601, 58305}[layer];
  });
  kino::judge_stack(stack);
  REQUIRE(stack.effects.size() == 4);
  CHECK(stack.effects[0] == 1008);
  CHECK(stack.effects[1] == 1001);
  CHECK(stack.effects[2] == 986);
  CHECK(stack.effects[3] == 998);
  CHECK(stack.slow_layers.empty());
}

TEST_CASE("a layer that is 6 % slower in every pass is reported, alone") {
  std::mt19937 random(11);
  std::normal_distribution<double> jitter(1, 0.002);
  LayerStack stack = stack_of(24, 3, [&](std::uint32_t layer, std::uint32_t) {
    return static_cast<std::int64_t>(580000 * jitter(random) * (layer == 11 ? 1.06 : 1));
  });
  kino::judge_stack(stack);
  CHECK(stack.slow_layers == std::vector<std::uint32_t>{11});
  CHECK(stack.slow_cells.empty());
  CHECK(stack.slow_passes.empty());
}

TEST_CASE("a single slow copy is reported as a cell, not as a slow layer") {
  LayerStack stack = stack_of(8, 6, [](std::uint32_t layer, std::uint32_t pass) -> std::int64_t {
    return layer == 5 && pass == 4 ? 1600 : 1000 + layer;
  });
  kino::judge_stack(stack);
  CHECK(stack.slow_layers.empty());
  CHECK(stack.slow_cells == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{5, 4}});
}

TEST_CASE("nothing is reported without jitter, with jitter alone, or for fewer than four layers") {
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> jitter(1, 0.015);  // 5 % per kernel, 11 kernels per layer
    LayerStack stack = stack_of(24, 6, [&](std::uint32_t, std::uint32_t) {
      return static_cast<std::int64_t>(580000 * jitter(random));
    });
    kino::judge_stack(stack);
    CHECK(stack.slow_layers.empty());
    CHECK(stack.slow_cells.empty());
  }
  LayerStack few =
      stack_of(3, 2, [](std::uint32_t layer, std::uint32_t) -> std::int64_t { return 100 + 900 * layer; });
  kino::judge_stack(few);
  CHECK(few.slow_layers.empty());
  CHECK(few.effects[0] == 100);
  LayerStack none;
  kino::judge_stack(none);
  CHECK(none.effects.empty());
}

TEST_CASE("odd copies are not compared") {
  LayerStack stack = stack_of(
      6, 2, [](std::uint32_t layer, std::uint32_t) -> std::int64_t { return layer == 0 ? 5000 : 1000; });
  for (kino::LayerCopy& copy : stack.copies) copy.odd = copy.layer == 0;
  kino::judge_stack(stack);
  CHECK_FALSE(stack.effects[0].has_value());
  CHECK(stack.slow_layers.empty());
}

TEST_CASE("a slow microbatch is reported as a pass") {
  LayerStack stack = stack_of(8, 6, [](std::uint32_t layer, std::uint32_t pass) -> std::int64_t {
    return (1000 + layer) * (pass == 2 ? 12 : 10);
  });
  kino::judge_stack(stack);
  CHECK(stack.slow_layers.empty());
  CHECK(stack.slow_passes == std::vector<std::uint32_t>{2});
}

TEST_CASE("huge deviations do not make passes slow") {
  // Half of the layers take very long in each of four passes, so the deviation of the passes is 1.5e18.
  constexpr std::int64_t kNs = 1'000'000'000'000'000'000;
  const std::vector<std::int64_t> longest{4 * kNs, 5 * kNs, 9 * kNs, kNs, 1};
  LayerStack stack = stack_of(10, 5, [&](std::uint32_t layer, std::uint32_t pass) -> std::int64_t {
    const bool is_long = (layer < 5) == (pass < 2);
    return is_long ? longest[pass] : 1;
  });
  kino::judge_stack(stack);
  CHECK(stack.slow_passes.empty());
}

TEST_CASE("a stack is judged from four comparable layers on") {
  for (const std::uint32_t layers : {3U, 4U}) {
    LayerStack stack = stack_of(layers, 2, [](std::uint32_t, std::uint32_t) -> std::int64_t { return 100; });
    kino::judge_stack(stack);
    CHECK(kino::is_judged(stack) == (layers == 4));
  }
}
