// Covers: module_stacks, annotation_stacks, layer_fold, layer_costs, layer_table
// Layers by modules and annotations: forward, backward, recomputation, costs, and the table of them.
#include "core/tables/layers/module_stacks.hpp"

#include <map>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/layers/annotation_stacks.hpp"
#include "core/tables/layers/layer_fold.hpp"
#include "core/tables/layers/layer_table.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::FoldedTrace;
using kino::LayerPhase;
using kino::LayerStack;
using kino::TrackClass;

void module_call(EventFixture& events, const std::string& name, std::int64_t start, std::int64_t duration,
                 const std::string& tid = "1") {
  events.slice(TrackClass::cpu, "python_function", "nn.Module: " + name, start, duration, tid);
}

/// A launch of 1 ns at `start`, and its kernel 10000 ns later.
void kernel(EventFixture& events, const std::string& name, std::int64_t start, std::int64_t duration,
            const std::string& tid = "1") {
  const auto id = static_cast<std::uint32_t>(start);
  events.launch(start, 1, id, tid).kernel(name, start + 10000, duration, id);
}

FoldedTrace folded(const kino::Trace& trace, kino::LayerSource source = kino::LayerSource::none) {
  const kino::RangeAnalysis analysis(trace, kino::whole_range(trace));
  return kino::fold_layers(analysis, source);
}

/// Three layers: forward, and a backward node of each that also calls the layer again.
std::shared_ptr<const kino::Trace> trained_layers() {
  EventFixture events;
  module_call(events, "Net_0", 100, 900);
  for (int layer = 0; layer < 3; ++layer) {
    const std::int64_t at = 200 + 200 * layer;
    module_call(events, "Layer_" + std::to_string(layer), at, 150);
    module_call(events, "Linear_" + std::to_string(layer), at + 10, 100);
    events.op("aten::mm", at + 20, 20).numbered(static_cast<std::uint32_t>(layer + 1));
    kernel(events, "gemm", at + 25, 40);
    kernel(events, "relu", at + 120, 5);
  }
  kernel(events, "loss", 950, 7);
  for (int layer = 2; layer >= 0; --layer) {
    const std::int64_t at = 2000 + 300 * (2 - layer);
    events.op("autograd::engine::evaluate_function: MmBackward0", at, 250, "2")
        .numbered(static_cast<std::uint32_t>(layer + 1), 1);
    module_call(events, "Layer_" + std::to_string(layer), at + 10, 50, "2");
    events.op("aten::mm", at + 15, 30, "2");
    kernel(events, "gemm", at + 20, 41, "2");
    kernel(events, "gemm_bwd", at + 100, 80 + layer, "2");
  }
  return events.build();
}

std::int64_t work_of(const LayerStack& stack, std::uint32_t layer, LayerPhase phase) {
  std::int64_t sum_ns = 0;
  for (const kino::LayerCopy& copy : stack.copies)
    sum_ns += copy.layer == layer && copy.phase == phase ? copy.cost.work_ns : 0;
  return sum_ns;
}

}  // namespace

TEST_CASE("each layer has its forward, backward and recomputed kernels") {
  const auto trace = trained_layers();
  const FoldedTrace result = folded(*trace);
  CHECK(result.fold.source == kino::LayerSource::modules);
  REQUIRE(result.fold.stacks.size() == 1);
  const LayerStack& stack = result.fold.stacks[0];
  CHECK(stack.module_class == "Layer");
  CHECK(stack.container == "Net_0");
  CHECK(stack.container_path == std::vector<std::string>{"Net"});
  CHECK(stack.layers == 3);
  CHECK(stack.passes.size() == 1);
  CHECK(stack.body_kernels == 2);
  for (std::uint32_t layer = 0; layer < 3; ++layer) {
    CHECK(work_of(stack, layer, LayerPhase::forward) == 45);
    CHECK(work_of(stack, layer, LayerPhase::recompute) == 41);
    CHECK(work_of(stack, layer, LayerPhase::backward) == 80 + layer);
    CHECK(stack.layer_names[layer] == "Layer_" + std::to_string(layer));
  }
  CHECK(stack.odd_copies() == 0);
  CHECK(result.fold.placed_ns == result.fold.total_ns - 7);
}

TEST_CASE("idle time is the part of a copy's span in which the device does nothing") {
  const auto trace = trained_layers();
  const FoldedTrace result = folded(*trace);
  // gemm 25..65, relu 120..125 after the start of the layer.
  for (const kino::LayerCopy& copy : result.fold.stacks[0].copies) {
    if (copy.phase == LayerPhase::forward) CHECK(copy.cost.idle_ns == 55);
  }
}

TEST_CASE("leaf modules in a row, and fewer than three modules, are no layers") {
  EventFixture leaves;
  module_call(leaves, "Net_0", 0, 1000);
  for (int i = 0; i < 5; ++i) {
    module_call(leaves, "Conv2d_" + std::to_string(i), 10 + 100 * i, 50);
    kernel(leaves, "conv", 15 + 100 * i, 10);
  }
  const auto trace = leaves.build();
  CHECK(folded(*trace, kino::LayerSource::modules).fold.stacks.empty());
  EventFixture two;
  module_call(two, "Net_0", 0, 1000);
  for (int i = 0; i < 2; ++i) {
    module_call(two, "Block_" + std::to_string(i), 10 + 100 * i, 50);
    module_call(two, "Linear_" + std::to_string(i), 20 + 100 * i, 20);
  }
  CHECK(folded(*two.build(), kino::LayerSource::modules).fold.stacks.empty());
  CHECK(folded(*EventFixture().op("aten::add", 0, 5).build()).fold.stacks.empty());
}

TEST_CASE("small groups of containers with one path are joined, and only outermost stacks are shown") {
  EventFixture events;
  std::int64_t at = 100;
  module_call(events, "Net_0", 0, 100000);
  int block = 0;
  for (int stage = 0; stage < 2; ++stage) {
    module_call(events, "Stage_" + std::to_string(stage), at, 900);
    for (int i = 0; i < 2; ++i) {
      module_call(events, "Block_" + std::to_string(block), at + 10 + 400 * i, 300);
      for (int k = 0; k < 4; ++k) {
        module_call(events, "Cell_" + std::to_string(4 * block + k), at + 20 + 400 * i + 50 * k, 40);
        module_call(events, "Linear_" + std::to_string(4 * block + k), at + 25 + 400 * i + 50 * k, 20);
        kernel(events, "gemm", at + 30 + 400 * i + 50 * k, 10);
      }
      ++block;
    }
    at += 1000;
  }
  const auto trace = events.build();
  const FoldedTrace result = folded(*trace, kino::LayerSource::modules);
  REQUIRE(result.fold.stacks.size() == 1);
  CHECK(result.fold.stacks[0].module_class == "Block");
  CHECK(result.fold.stacks[0].layers == 4);
}

TEST_CASE("work by layer and pass agrees with brute force on random calls") {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    EventFixture events;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> expected;  // layer, pass
    const std::uint32_t layers = 3 + random() % 5;
    const std::uint32_t passes = 1 + random() % 4;
    std::int64_t at = 1000;
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
      const std::int64_t begin = at;
      for (std::uint32_t layer = 0; layer < layers; ++layer) {
        const std::int64_t first = at += 10;
        for (std::uint32_t k = 1 + random() % 4; k > 0; --k) {
          const std::int64_t duration = 1 + static_cast<std::int64_t>(random() % 90);
          kernel(events, "k" + std::to_string(random() % 3), at += 5, duration);
          expected[{layer, pass}] += duration;
        }
        module_call(events, "Layer_" + std::to_string(layer), first, at + 5 - first);
        module_call(events, "Norm_" + std::to_string(layer), first, at + 4 - first);
        at += 10;
        if (random() % 3 == 0) kernel(events, "outside", at += 5, 50);
        at += 5;
      }
      module_call(events, "Net_0", begin, at - begin);
      at += 20;
    }
    const auto trace = events.build();
    const FoldedTrace result = folded(*trace, kino::LayerSource::modules);
    REQUIRE(result.fold.stacks.size() == 1);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> found;
    for (const kino::LayerCopy& copy : result.fold.stacks[0].copies)
      found[{copy.layer, copy.pass}] += copy.cost.work_ns;
    CHECK(found == expected);
  }
}

TEST_CASE("an index is a layer only at the end of a whole word") {
  const auto found = [](std::string_view name) {
    const auto layer = kino::indexed_name(name);
    return layer ? std::string(layer->base) + " " + std::to_string(layer->index) : std::string();
  };
  CHECK(found("FSDP::pre_forward (layers.5)") == "layers 5");
  CHECK(found("layer_12") == "layer 12");
  CHECK(found("model.blocks.3.attn") == "blocks 3");
  CHECK(found("h.0") == "h 0");
  CHECK(found("depth.4") == "");
  CHECK(found("players.4") == "");
  CHECK(found("layers.5a") == "");
  CHECK(found("layers.") == "");
  CHECK(found("layers.99999999999999999999") == "");
  CHECK(found("") == "");
}

TEST_CASE("annotations with three indices are a stack") {
  EventFixture events;
  std::int64_t at = 100;
  for (const char* pass : {"forward", "backward"}) {
    for (int layer = 0; layer < 4; ++layer, at += 200) {
      events.slice(TrackClass::cpu, "user_annotation", std::string(pass) + " layers." + std::to_string(layer),
                   at, 100, "1");
      kernel(events, "gemm", at + 10, 20 + layer);
      kernel(events, "ncclDevKernel_AllReduce", at + 50, 9);
    }
  }
  const auto trace = events.build();
  const FoldedTrace result = folded(*trace);
  CHECK(result.fold.source == kino::LayerSource::annotations);
  REQUIRE(result.fold.stacks.size() == 1);
  const LayerStack& stack = result.fold.stacks[0];
  CHECK(stack.container == "layers");
  CHECK(stack.layers == 4);
  CHECK(work_of(stack, 3, LayerPhase::forward) == 23);
  CHECK(work_of(stack, 3, LayerPhase::backward) == 23);
  CHECK(stack.copies[0].cost.communication_ns == 9);
  CHECK(stack.copies[0].cost.kernels == 1);
}

TEST_CASE("the table has one row per layer with the costs of all phases") {
  const auto trace = trained_layers();
  const FoldedTrace result = folded(*trace);
  const kino::Table table = kino::layer_table(*trace, result, kino::LayerGrouping::layer);
  REQUIRE(table.row_count() == 3);
  const auto integer = [&](const char* key, std::size_t row) {
    return std::get<kino::TableColumn::Integers>(table.find(key)->values)[row];
  };
  CHECK(integer("stack", 2) == 0);
  CHECK(integer("layer", 2) == 2);
  CHECK(integer("forward_ns", 2) == 45);
  CHECK(integer("backward_ns", 2) == 82);
  CHECK(integer("recompute_ns", 2) == 41);
  CHECK(integer("kernels", 2) == 4);
  CHECK(integer("comm_ns", 2) == 0);
  CHECK(integer("bytes", 2) == kino::kNoInteger);
  CHECK(integer("passes", 2) == 1);
  CHECK(std::get<kino::TableColumn::Texts>(table.find("module")->values)[1] == "Layer_1");
  CHECK(table.links.size() == 3);
  for (const auto grouping : {kino::LayerGrouping::pass, kino::LayerGrouping::cell,
                              kino::LayerGrouping::kernel, kino::LayerGrouping::stack}) {
    const kino::Table other = kino::layer_table(*trace, result, grouping);
    CHECK(other.row_count() > 0);
    CHECK(other.links.size() == other.row_count());
    for (const kino::TableColumn& column : other.columns) CHECK(column.size() == other.row_count());
  }
}

TEST_CASE("a trace without repetition has an empty table with a note") {
  const auto trace = EventFixture().op("aten::add", 0, 5).build();
  const kino::Table table = kino::layer_table(*trace, folded(*trace), kino::LayerGrouping::layer);
  CHECK(table.row_count() == 0);
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0] == "No layers that repeat at least three times were found.");
}

TEST_CASE("the verdict names slow layers, or that none stands out") {
  const auto verdict = [](const std::vector<std::int64_t>& durations) {
    EventFixture events;
    std::int64_t at = 0;
    for (int pass = 0; pass < 3; ++pass) {
      events.kernel("embedding", at += 5000, 10);
      for (const std::int64_t duration : durations) {
        for (const char* name : {"norm", "qkv", "attention", "proj", "mlp"})
          events.kernel(name, at += 5000, duration);
      }
    }
    const auto trace = events.build();
    return kino::english_texts(kino::layer_verdict(folded(*trace).fold));
  };
  CHECK(verdict({1000, 1000, 1000, 1000, 1000, 1000}) ==
        std::vector<std::string>{"No layer is much slower than the others."});
  CHECK(verdict({1000, 1000, 1000, 1000, 1100, 1000}) ==
        std::vector<std::string>{
            "Layer 4 (forward) takes 10 % longer than the median layer. This is the median over 3 passes."});
  CHECK(verdict({1000, 1200, 1000, 1000, 1100, 1300, 1000, 1000}) ==
        std::vector<std::string>{
            "Layer 5 (forward) takes 30 % longer than the median layer. This is the median over 3 passes.",
            "Further slow layers (forward): 1 (+20 %), 4 (+10 %)."});
}
