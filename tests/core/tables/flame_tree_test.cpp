// Covers: flame_tree
#include "core/tables/flame_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kino::FlameDirection;
using kino::FlameGraph;
using kino::FlameLayout;
using kino::FlameTree;
using kino::FlameTreeBuilder;

using Stack = std::vector<std::uint32_t>;
using Weighted = std::vector<std::pair<Stack, std::int64_t>>;

FlameTree tree_of(const Weighted& stacks, FlameDirection direction = FlameDirection::top_down) {
  FlameTreeBuilder builder(direction);
  for (const auto& [stack, weight] : stacks) builder.add(stack, weight);
  return builder.finish();
}

/// main(0) calls forward(1) and backward(2); both call matmul(3).
Weighted three_stacks() { return {{{0, 1, 3}, 40}, {{0, 1}, 10}, {{0, 2, 3}, 50}}; }

std::vector<std::uint32_t> frames_at(const FlameTree& tree, std::uint32_t node) {
  std::vector<std::uint32_t> frames;
  for (const std::uint32_t at : kino::path_to(tree, node)) frames.push_back(tree.nodes[at].frame);
  return frames;
}

TEST_CASE("merges stacks with a common begin, heaviest sibling first") {
  const FlameTree tree = tree_of(three_stacks());
  REQUIRE(tree.nodes.size() == 6);
  CHECK(tree.levels == 3);
  CHECK(tree.nodes[0].total == 100);
  CHECK(tree.nodes[0].below == 5);
  CHECK(frames_at(tree, 1) == Stack{0});
  CHECK(frames_at(tree, 2) == Stack{0, 1});  // both have 50, and this one came first
  CHECK(frames_at(tree, 3) == Stack{0, 2});
  CHECK(tree.nodes[2].total == 50);
  CHECK(tree.nodes[2].self == 10);
  CHECK(frames_at(tree, 4) == Stack{0, 1, 3});
  CHECK(tree.children(1).size() == 2);
}

TEST_CASE("sums the innermost frames over all callers, bottom-up") {
  const FlameTree tree = tree_of(three_stacks(), FlameDirection::bottom_up);
  REQUIRE(tree.children(0).size() == 2);
  CHECK(frames_at(tree, 1) == Stack{3});
  CHECK(tree.nodes[1].total == 90);
  CHECK(frames_at(tree, 2) == Stack{1});
  CHECK(tree.nodes[2].total == 10);
  CHECK(tree.nodes[0].total == 100);
}

TEST_CASE("has only the root without stacks, and adds stacks without frames to it") {
  FlameTree tree = tree_of({});
  CHECK(tree.empty());
  CHECK(tree.levels == 0);
  CHECK(kino::lay_out(tree, 0, 100, 1).boxes.size() == 1);
  tree = tree_of({{{}, 5}, {{1}, -3}});
  CHECK(tree.nodes[0].total == 5);
  CHECK(tree.nodes[0].self == 5);
  CHECK(tree.nodes[1].total == 0);
}

TEST_CASE("saturates sums") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const FlameTree tree = tree_of({{{1}, kMost}, {{2}, kMost}});
  CHECK(tree.nodes[0].total == kMost);
  const FlameLayout layout = kino::lay_out(tree, 0, 100, 1);
  for (const kino::FlameBox& box : layout.boxes) CHECK(box.end_px <= 100);
}

TEST_CASE("sums random stacks by common prefix") {
  std::mt19937 random(5);
  for (const FlameDirection direction : {FlameDirection::top_down, FlameDirection::bottom_up}) {
    Weighted stacks;
    for (int i = 0; i < 400; ++i) {
      Stack stack(random() % 6);
      for (std::uint32_t& frame : stack) frame = random() % 4;
      stacks.emplace_back(stack, static_cast<std::int64_t>(random() % 100));
    }
    std::map<Stack, std::int64_t> sums;
    for (auto [stack, weight] : stacks) {
      if (direction == FlameDirection::bottom_up) std::ranges::reverse(stack);
      for (std::size_t length = 0; length <= stack.size(); ++length) {
        sums[Stack(stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(length))] += weight;
      }
    }
    const FlameTree tree = tree_of(stacks, direction);
    REQUIRE(tree.nodes.size() == sums.size());
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
      const kino::FlameNode& node = tree.nodes[i];
      CHECK(node.total == sums.at(frames_at(tree, i)));
      std::int64_t children = 0;
      std::uint32_t below = 0;
      std::int64_t before = std::numeric_limits<std::int64_t>::max();
      for (const kino::FlameNode& child : tree.children(i)) {
        CHECK(child.parent == i);
        CHECK(child.depth == node.depth + 1);
        CHECK(child.total <= before);
        before = child.total;
        children += child.total;
        below += child.below + 1;
      }
      CHECK(node.total == node.self + children);
      CHECK(node.below == below);
    }
  }
}

TEST_CASE("keeps the nodes of very many distinct frames") {
  FlameTreeBuilder builder(FlameDirection::top_down);
  for (std::uint32_t i = 0; i < 5000; ++i) builder.add(Stack{i, 7}, i);
  for (std::uint32_t i = 0; i < 5000; ++i) builder.add(Stack{i, 7}, 1);
  const FlameTree tree = builder.finish();
  CHECK(tree.nodes.size() == 10'001);
  CHECK(frames_at(tree, 1) == Stack{4999});
  CHECK(tree.nodes[1].total == 5000);
}

TEST_CASE("fills the width with the focus, and shows its ancestors above it") {
  const FlameTree tree = tree_of(three_stacks());
  const FlameLayout all = kino::lay_out(tree, 0, 200, 1);
  REQUIRE(all.rows() == 4);
  CHECK(all.row(2).size() == 2);
  CHECK(all.row(2)[0].end_px == 100);
  CHECK(all.row(3)[0].end_px == 80);
  CHECK(all.row(3)[1].begin_px == 100);
  const FlameLayout layout = kino::lay_out(tree, 2, 200, 1);
  REQUIRE(layout.rows() == 4);
  CHECK(layout.row(1)[0].end_px == 200);
  CHECK(layout.row(2).size() == 1);
  CHECK(layout.row(2)[0].end_px == 200);
  CHECK(layout.row(3)[0].end_px == 160);
  CHECK(kino::box_at(layout, 3, 159)->node == 4);
  CHECK(kino::box_at(layout, 3, 161) == nullptr);
  CHECK(kino::box_at(layout, 4, 0) == nullptr);
  CHECK(kino::box_at(layout, 3, -1) == nullptr);
}

TEST_CASE("counts nodes narrower than a pixel, and draws them together if wide enough") {
  Weighted stacks{{{0}, 900}};
  for (std::uint32_t i = 1; i <= 100; ++i) stacks.push_back({{i, 200, 201}, 1});
  const FlameTree tree = tree_of(stacks);
  const FlameLayout layout = kino::lay_out(tree, 0, 100, 1);
  REQUIRE(layout.rows() == 2);
  REQUIRE(layout.row(1).size() == 2);
  CHECK(layout.left_out == 300);
  CHECK(layout.row(1)[1].left_out == 300);
  CHECK(layout.row(1)[1].begin_px == doctest::Approx(90));
  CHECK(layout.row(1)[1].end_px == doctest::Approx(100));
}

TEST_CASE("places boxes of random trees within their parents, and loses none") {
  std::mt19937 random(9);
  for (int round = 0; round < 20; ++round) {
    Weighted stacks;
    for (int i = 0; i < 300; ++i) {
      Stack stack(1 + random() % 7);
      for (std::uint32_t& frame : stack) frame = random() % 5;
      stacks.emplace_back(stack, static_cast<std::int64_t>(random() % 50));
    }
    const FlameTree tree = tree_of(stacks);
    const auto focus = static_cast<std::uint32_t>(random() % tree.nodes.size());
    const FlameLayout layout = kino::lay_out(tree, focus, 300, 2);
    std::set<std::uint32_t> shown;
    std::map<std::uint32_t, std::pair<double, double>> places;
    for (std::size_t depth = 0; depth < layout.rows(); ++depth) {
      double x = 0;
      for (const kino::FlameBox& box : layout.row(depth)) {
        CHECK(box.begin_px >= x - 1e-9);
        CHECK(box.end_px >= box.begin_px);
        x = box.end_px;
        const std::uint32_t parent = box.left_out > 0 ? box.node : tree.nodes[box.node].parent;
        if (depth > 0) {
          CHECK(box.begin_px >= places.at(parent).first - 1e-9);
          CHECK(box.end_px <= places.at(parent).second + 1e-9);
        }
        if (box.left_out > 0) continue;
        CHECK(tree.nodes[box.node].depth == depth);
        places[box.node] = {box.begin_px, box.end_px};
        shown.insert(box.node);
      }
    }
    CHECK(shown.size() + layout.left_out == tree.nodes[focus].below + 1 + tree.nodes[focus].depth);
  }
}

TEST_CASE("limits the number of rows, and counts the nodes below") {
  Stack deep(30'000);
  for (std::uint32_t i = 0; i < deep.size(); ++i) deep[i] = i;
  const FlameTree tree = tree_of({{deep, 5}});
  const FlameLayout layout = kino::lay_out(tree, 0, 100, 1);
  CHECK(layout.rows() == 1 + 20'000);
  CHECK(layout.boxes.size() + layout.left_out == tree.nodes.size());
  const FlameLayout below = kino::lay_out(tree, layout.boxes.back().node, 100, 1);
  CHECK(below.left_out == 0);
}

TEST_CASE("counts each matching stack once, only below the focus") {
  const FlameTree tree = tree_of({{{0, 1, 3}, 40}, {{0, 3, 3}, 7}, {{0, 2}, 50}});
  std::vector<bool> matches(4, false);
  CHECK(kino::matched_weight(tree, 0, matches) == 0);
  matches[3] = true;
  CHECK(kino::matched_weight(tree, 0, matches) == 47);
  matches[1] = true;
  CHECK(kino::matched_weight(tree, 0, matches) == 47);
  const auto two = std::ranges::find_if(tree.nodes, [](const auto& node) { return node.frame == 2; });
  CHECK(kino::matched_weight(tree, static_cast<std::uint32_t>(two - tree.nodes.begin()), matches) == 0);
  CHECK(kino::matched_weight(FlameTree{}, 0, matches) == 0);
}

TEST_CASE("finds a path in another graph as far as it exists") {
  FlameGraph graph{tree_of(three_stacks()),
                   {{"main", "m.py"}, {"forward", ""}, {"backward", ""}, {"matmul", ""}}};
  const std::vector<kino::FlameFrame> path{{"main", "m.py"}, {"backward", ""}, {"other", ""}};
  CHECK(frames_at(graph.tree, kino::find_path(graph, path)) == Stack{0, 2});
  const std::vector<kino::FlameFrame> elsewhere{{"main", "n.py"}};
  CHECK(kino::find_path(graph, elsewhere) == 0);
}

TEST_CASE("writes equal folded stacks in both directions, without broken lines") {
  const std::vector<kino::FlameFrame> frames{
      {"ma;in", ""}, {"for\nward", ""}, {"backward", ""}, {"matmul", ""}};
  for (const FlameDirection direction : {FlameDirection::top_down, FlameDirection::bottom_up}) {
    const std::string text = kino::folded_text({tree_of(three_stacks(), direction), frames});
    CHECK(std::ranges::count(text, '\n') == 3);
    CHECK(text.find("ma:in;for ward;matmul 40\n") != text.npos);
    CHECK(text.find("ma:in;for ward 10\n") != text.npos);
    CHECK(text.find("ma:in;backward;matmul 50\n") != text.npos);
  }
  CHECK(kino::folded_text({}).empty());
}

}  // namespace
