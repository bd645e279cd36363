// Covers: step_alignment, step_outline
// Two steps side by side: phases, operators and work, and their matches.
#include "core/tables/compare/step_alignment.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "core/tables/compare/step_outline.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::AlignedNode;
using kino::StepDepth;
using kino::StepPhase;

/// A step of 1,000 ns: a loader, two operators, their backward on another thread, an optimizer.
std::shared_ptr<const kino::Trace> step_of(const std::string& second, const std::string& second_kernel,
                                           bool extra) {
  kino::EventFixture events;
  events.slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#3", 0, 1000, "1")
      .slice(kino::TrackClass::cpu, "user_annotation", "enumerate(DataLoader)#_Iter.__next__", 10, 40, "1")
      .op("aten::to", 20, 20)
      .launch(25, 5, 1)
      .slice(kino::TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD", 40, 20, "7", 1)
      .op("aten::linear", 100, 50)
      .op("aten::mm", 110, 20)
      .launch(115, 5, 2)
      .kernel("gemm", 130, 50, 2)
      .launch(140, 5, 3)
      .kernel("bias", 190, 10, 3)
      .op(second, 200, 20)
      .launch(205, 5, 4)
      .kernel(second_kernel, 220, 30, 4)
      .op("autograd::engine::evaluate_function: MmBackward0", 400, 50, "2")
      .launch(410, 5, 5, "2")
      .kernel("gemm", 430, 70, 5)
      .slice(kino::TrackClass::cpu, "user_annotation", "Optimizer.step#SGD.step", 600, 100, "1")
      .op("aten::_foreach_add_", 610, 20)
      .launch(615, 5, 6)
      .kernel("add", 630, 20, 6);
  if (extra) events.op("aten::clone", 320, 10).launch(322, 5, 7).kernel("copy", 330, 20, 7);
  return events.build();
}

}  // namespace

TEST_CASE("outlines phases, operators and work, each filling the step") {
  const auto trace = step_of("aten::relu", "relu", false);
  const kino::TimeAttribution ledger(*trace);
  const kino::StepOutline outline = kino::step_outline(*trace, ledger, {0, 1000});
  for (const std::vector<kino::StepNode>& nodes : outline.nodes) {
    REQUIRE_FALSE(nodes.empty());
    CHECK(nodes.front().begin_ns == 0);
    CHECK(nodes.back().end_ns == 1000);
    for (std::size_t i = 1; i < nodes.size(); ++i) CHECK(nodes[i].begin_ns == nodes[i - 1].end_ns);
  }
  const std::vector<kino::StepNode>& phases = outline.at(StepDepth::phase);
  REQUIRE(phases.size() == 5);
  const std::vector<std::pair<StepPhase, std::int64_t>> expected{{StepPhase::loading, 60},
                                                                 {StepPhase::forward, 250},
                                                                 {StepPhase::backward, 500},
                                                                 {StepPhase::optimizer, 650},
                                                                 {StepPhase::tail, 1000}};
  for (std::size_t i = 0; i < phases.size(); ++i) {
    CHECK(phases[i].phase == expected[i].first);
    CHECK(phases[i].end_ns == expected[i].second);
  }
  // The operator is the outermost one; the optimizer's mark does not count.
  const std::vector<kino::StepNode>& ops = outline.at(StepDepth::op);
  REQUIRE(ops.size() == 7);
  CHECK(ops[0].slice == kino::kNoSlice);  // the wait for the data loader
  CHECK(trace->name_of(ops[2].slice) == "aten::linear");
  CHECK(ops[2].end_child - ops[2].first_child == 2);
  CHECK(trace->name_of(ops[5].slice) == "aten::_foreach_add_");
  CHECK(outline.at(StepDepth::work).size() == 8);
}

TEST_CASE("joins steps by phase, operator and work, and reports replaced kernels") {
  const auto a = step_of("aten::relu", "relu", false);
  const auto b = step_of("aten::relu", "relu_v2", true);
  const kino::StepOutline outline_a = kino::step_outline(*a, kino::TimeAttribution(*a), {0, 1000});
  const kino::StepOutline outline_b = kino::step_outline(*b, kino::TimeAttribution(*b), {0, 1000});
  const kino::StepAlignment joined = kino::align_steps(*a, outline_a, *b, outline_b);
  CHECK(std::ranges::all_of(joined[0], [](const AlignedNode& it) { return it.a == it.b; }));
  const auto& ops = joined[static_cast<std::size_t>(StepDepth::op)];
  const auto added = std::ranges::find(ops, AlignedNode::kNone, &AlignedNode::a);
  REQUIRE(added != ops.end());
  CHECK(b->name_of(outline_b.at(StepDepth::op)[added->b].slice) == "aten::clone");
  CHECK(std::ranges::count(ops, AlignedNode::kNone, &AlignedNode::b) == 0);
  const auto& work = joined[static_cast<std::size_t>(StepDepth::work)];
  CHECK(std::ranges::count(work, true, &AlignedNode::replaced) == 1);
  const auto replaced = std::ranges::find(work, true, &AlignedNode::replaced);
  CHECK(a->name_of(outline_a.at(StepDepth::work)[replaced->a].slice) == "relu");
  CHECK(b->name_of(outline_b.at(StepDepth::work)[replaced->b].slice) == "relu_v2");
  const auto c = step_of("aten::gelu", "gelu", false);
  const kino::StepOutline outline_c = kino::step_outline(*c, kino::TimeAttribution(*c), {0, 1000});
  const auto other = kino::align_steps(*a, outline_a, *c, outline_c)[static_cast<std::size_t>(StepDepth::op)];
  CHECK(std::ranges::count(other, AlignedNode::kNone, &AlignedNode::a) == 1);
  CHECK(std::ranges::count(other, AlignedNode::kNone, &AlignedNode::b) == 1);
}

TEST_CASE("joins equal values of lists in order, as many as possible") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint32_t> a(random() % 12);
    std::vector<std::uint32_t> b(random() % 12);
    for (std::uint32_t& value : a) value = random() % 4;
    for (std::uint32_t& value : b) value = random() % 4;
    const auto pairs = kino::joined_in_order(a, b);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      CHECK(a[pairs[i].first] == b[pairs[i].second]);
      if (i > 0) CHECK((pairs[i - 1].first < pairs[i].first && pairs[i - 1].second < pairs[i].second));
    }
    // Compared with the plain recursion.
    std::vector<std::vector<std::size_t>> most(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t j = b.size(); j-- > 0;)
        most[i][j] = a[i] == b[j] ? most[i + 1][j + 1] + 1 : std::max(most[i + 1][j], most[i][j + 1]);
    }
    CHECK(pairs.size() == most[0][0]);
  }
}

TEST_CASE("joins long lists by the occurrences of each value, in order") {
  // Too long to compare all pairs: a block moved, and everything between its positions is equal.
  std::vector<std::uint32_t> a;
  for (std::uint32_t i = 0; i < 9000; ++i) a.push_back(i % 3000);
  std::vector<std::uint32_t> b(a.begin() + 1000, a.end());
  b.insert(b.begin(), 99999);
  b.push_back(99999);
  const auto pairs = kino::joined_in_order(a, b);
  CHECK(pairs.size() >= 2000);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    CHECK(a[pairs[i].first] == b[pairs[i].second]);
    if (i > 0) CHECK((pairs[i - 1].first < pairs[i].first && pairs[i - 1].second < pairs[i].second));
  }
}
