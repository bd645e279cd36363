// Covers: layer_profile
// Grids, typical layers and outliers of folds that are written by hand.
#include "core/tables/layers/layer_profile.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "core/tables/layers/layer_verdict.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::LayerBody;
using kino::LayerCell;
using kino::LayerFold;
using kino::LayerGrid;
using kino::LayerPhase;
using kino::LayerView;

struct MadeFold {
  std::shared_ptr<const kino::Trace> trace;
  LayerFold fold;
};

/// A stack in which each copy has a "gemm" of `work_ns(layer, pass)` and, 5 ns later, a "relu" of 10 ns.
template <class Work>
MadeFold made_fold(std::uint32_t layers, std::uint32_t passes, const Work& work_ns) {
  kino::EventFixture events;
  MadeFold made;
  kino::LayerStack stack;
  stack.layers = layers;
  stack.passes.resize(passes);
  std::int64_t at_ns = 0;
  for (std::uint32_t pass = 0; pass < passes; ++pass) {
    stack.passes[pass].microbatch = pass;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      const std::int64_t gemm_ns = work_ns(layer, pass);
      events.kernel("gemm", at_ns, gemm_ns).kernel("relu", at_ns + gemm_ns + 5, 10);
      kino::LayerCopy copy;
      copy.pass = pass;
      copy.layer = layer;
      copy.first = stack.copies.size() * 2;
      copy.count = 2;
      copy.span = {at_ns, at_ns + gemm_ns + 15};
      copy.cost.work_ns = gemm_ns + 10;
      copy.cost.kernels = 2;
      copy.cost.idle_ns = 5;
      stack.copies.push_back(copy);
      at_ns = copy.span.end_ns + 1;
    }
  }
  made.trace = events.build();
  for (std::uint32_t i = 0; i < made.trace->slice_count(); ++i)
    made.fold.kernels.push_back(static_cast<kino::SliceId>(i));
  kino::judge_stack(stack);
  made.fold.stacks.push_back(std::move(stack));
  return made;
}

std::vector<std::uint32_t> all_copies_of(const kino::LayerStack& stack) {
  std::vector<std::uint32_t> copies;
  for (std::uint32_t i = 0; i < stack.copies.size(); ++i) copies.push_back(i);
  return copies;
}

}  // namespace

TEST_CASE("the deviation of a cell is its work per mille of the median of its pass") {
  MadeFold made = made_fold(4, 2, [](std::uint32_t layer, std::uint32_t pass) -> std::int64_t {
    return (layer == 2 ? 1090 : 990) * (pass + 1) + 10 * pass;
  });
  const LayerGrid grid(made.fold, 0, LayerPhase::forward);
  CHECK(grid.layers() == 4);
  CHECK(grid.passes() == 2);
  CHECK(grid.median_ns(0) == 1000);
  CHECK(grid.median_ns(1) == 2000);
  REQUIRE(grid.find(2, 1) != nullptr);
  CHECK(grid.find(2, 0)->deviation == 100);
  CHECK(grid.find(2, 1)->deviation == 100);
  CHECK(grid.find(0, 1)->deviation == 0);
  CHECK(grid.find(4, 0) == nullptr);
  CHECK(grid.of_pass(1).size() == 4);
  REQUIRE(grid.of_layer(3).size() == 2);
  CHECK(grid.cells()[grid.of_layer(3)[1]].pass == 1);
  CHECK(grid.of_layer(4).empty());
}

TEST_CASE("odd copies and missing cells do not change the median of a pass") {
  MadeFold made = made_fold(5, 1, [](std::uint32_t, std::uint32_t) { return std::int64_t{90}; });
  kino::LayerStack& stack = made.fold.stacks[0];
  stack.copies[1].odd = true;
  stack.copies[1].cost.work_ns = 1'000'000;
  stack.copies.erase(stack.copies.begin() + 3);
  const LayerGrid grid(made.fold, 0, LayerPhase::forward);
  CHECK(grid.median_ns(0) == 100);
  CHECK(grid.find(1, 0)->odd);
  CHECK(grid.find(1, 0)->deviation == 0);
  CHECK(grid.find(3, 0) == nullptr);
  CHECK(grid.layers() == 5);
}

TEST_CASE("a grid without copies in its phase is empty") {
  MadeFold made = made_fold(3, 1, [](std::uint32_t, std::uint32_t) { return std::int64_t{90}; });
  const LayerGrid grid(made.fold, 0, LayerPhase::backward);
  CHECK(grid.layers() == 0);
  CHECK(grid.cells().empty());
  CHECK(grid.find(0, 0) == nullptr);
  CHECK(grid.median_ns(0) == 0);
}

TEST_CASE("the typical layer has percentiles of offsets, durations and ends by nearest rank") {
  const MadeFold made = made_fold(10, 1, [](std::uint32_t layer, std::uint32_t) -> std::int64_t {
    return 100 + 10 * std::int64_t{layer};
  });
  const kino::LayerStack& stack = made.fold.stacks[0];
  const LayerBody body = kino::body_of(*made.trace, made.fold, stack, all_copies_of(stack));
  CHECK(body.copies == 10);
  CHECK(body.lanes == 1);
  CHECK(body.work_ns == 150);
  REQUIRE(body.kernels.size() == 2);
  CHECK(body.kernels[0].offset_ns == 0);
  CHECK(body.kernels[0].p10_ns == 100);
  CHECK(body.kernels[0].median_ns == 140);
  CHECK(body.kernels[0].p90_ns == 180);
  CHECK(made.trace->duration_ns(body.kernels[0].longest) == 190);
  CHECK(body.kernels[1].offset_ns == 145);
  CHECK(body.kernels[1].median_ns == 10);
  CHECK(body.kernels[1].end_p10_ns == 115);
  CHECK(body.kernels[1].end_p90_ns == 195);
  CHECK(body.length_ns() == 195);
}

TEST_CASE("copies that are odd or have another number of kernels are not part of the typical layer") {
  MadeFold made = made_fold(
      5, 1, [](std::uint32_t layer, std::uint32_t) -> std::int64_t { return layer < 2 ? 9000 : 100; });
  kino::LayerStack& stack = made.fold.stacks[0];
  stack.copies[0].odd = true;
  stack.copies[1].count = 1;
  LayerBody body = kino::body_of(*made.trace, made.fold, stack, all_copies_of(stack));
  CHECK(body.copies == 3);
  CHECK(body.kernels[0].p90_ns == 100);
  const std::uint32_t odd = 0;
  body = kino::body_of(*made.trace, made.fold, stack, {&odd, 1});
  CHECK(body.copies == 1);
  CHECK(body.kernels[0].median_ns == 9000);
  CHECK(kino::body_of(*made.trace, made.fold, stack, {}).kernels.empty());
}

TEST_CASE("the kernel of a copy that differs most is found in both directions") {
  LayerBody body;
  body.kernels.resize(3);
  LayerBody copy = body;
  copy.kernels[1].median_ns = 20;
  copy.kernels[2].median_ns = -30;
  CHECK(kino::most_different_kernel(copy, body) == 2);
  copy.kernels.pop_back();
  CHECK_FALSE(kino::most_different_kernel(copy, body).has_value());
  CHECK_FALSE(kino::most_different_kernel({}, {}).has_value());
}

TEST_CASE("a view has the slow layers before the slow copies, and the figures of each layer") {
  const MadeFold made = made_fold(8, 6, [](std::uint32_t layer, std::uint32_t pass) -> std::int64_t {
    if (layer == 3) return 1190;
    return layer == 5 && pass == 4 ? 2990 : 990;
  });
  const std::vector<LayerView> views = kino::layer_views(*made.trace, made.fold);
  REQUIRE(views.size() == 1);
  const LayerView& view = views[0];
  REQUIRE(view.grids.size() == 1);
  REQUIRE(view.outliers.size() == 2);
  CHECK(view.outliers[0].layer == 3);
  CHECK(view.outliers[0].excess == 200);
  CHECK_FALSE(view.outliers[0].pass.has_value());
  CHECK(view.outliers[1].layer == 5);
  CHECK(view.outliers[1].pass == 4);
  CHECK(view.outliers[1].excess == 2000);
  REQUIRE(view.slowest.size() == 1);
  CHECK(view.slowest[0].copies == 6);
  CHECK(view.slowest[0].kernels[0].median_ns == 1190);
  REQUIRE(view.layers.size() == 8);
  CHECK(view.layers[3].effect == 1200);
  CHECK(view.layers[3].work_ns[0] == 1200);
  CHECK_FALSE(view.layers[3].work_ns[1].has_value());
  CHECK(view.layers[5].work_ns[0] == 1000);
  CHECK(view.layers[5].kernels == 2);
  CHECK(view.layers[5].idle_ns == 5);
  CHECK_FALSE(view.layers[5].kept_bytes.has_value());
}

TEST_CASE("a backward stack is part of the view of its forward stack, pass by step and microbatch") {
  MadeFold made = made_fold(4, 3, [](std::uint32_t, std::uint32_t) { return std::int64_t{90}; });
  kino::LayerStack backward = made.fold.stacks[0];
  backward.backward = true;
  backward.forward_stack = 0;
  for (kino::LayerCopy& copy : backward.copies) copy.phase = LayerPhase::backward;
  std::ranges::reverse(backward.passes);
  backward.passes.erase(backward.passes.begin());
  std::erase_if(backward.copies, [](const kino::LayerCopy& copy) { return copy.pass > 1; });
  made.fold.stacks.push_back(backward);
  std::vector<LayerView> views = kino::layer_views(*made.trace, made.fold);
  REQUIRE(views.size() == 1);
  REQUIRE(views[0].grids.size() == 2);
  CHECK(views[0].layers[0].kernels == 4);
  CHECK(views[0].layers[0].work_ns[1] == 100);
  CHECK(kino::matching_pass(made.fold, views[0].grids[0], 0, views[0].grids[1]) == 1);
  CHECK_FALSE(kino::matching_pass(made.fold, views[0].grids[0], 2, views[0].grids[1]).has_value());
  // Copies with several layers have rows of their own.
  made.fold.stacks[1].layers_per_copy = 2;
  views = kino::layer_views(*made.trace, made.fold);
  CHECK(views.size() == 2);
}

TEST_CASE("grids find the same cells as a search through all copies") {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    MadeFold made = made_fold(6, 5, [&](std::uint32_t, std::uint32_t) -> std::int64_t {
      return 50 + static_cast<std::int64_t>(random() % 100);
    });
    std::vector<kino::LayerCopy>& copies = made.fold.stacks[0].copies;
    std::erase_if(copies, [&](const kino::LayerCopy&) { return random() % 3 == 0; });
    const LayerGrid grid(made.fold, 0, LayerPhase::forward);
    for (std::uint32_t layer = 0; layer < 6; ++layer) {
      for (std::uint32_t pass = 0; pass < 5; ++pass) {
        const auto found = std::ranges::find_if(
            copies, [&](const kino::LayerCopy& copy) { return copy.layer == layer && copy.pass == pass; });
        const LayerCell* const cell = grid.find(layer, pass);
        REQUIRE((cell != nullptr) == (found != copies.end()));
        if (cell != nullptr) CHECK(&copies[cell->copy] == &*found);
      }
    }
  }
}

TEST_CASE("kernels are colored by category, and names outside of the fold are not looked up") {
  MadeFold made = made_fold(3, 1, [](std::uint32_t, std::uint32_t) { return std::int64_t{90}; });
  const auto kinds = kino::body_kinds(*made.trace, made.fold, *kino::default_work_rules());
  CHECK(kinds[kino::index_of(made.trace->name(made.fold.kernels[0]))] == kino::BodyKind::matrix);
  made.fold.kernels.clear();
  for (const kino::BodyKind kind : kino::body_kinds(*made.trace, made.fold, *kino::default_work_rules()))
    CHECK(kind == kino::BodyKind::other);
}
