// Covers: layer_fold, name_stacks, module_stacks, annotation_stacks, layer_verdict
// Layers of real and generated traces, compared with an independent implementation of the same definitions
// (golden/fold).
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/layers/layer_fold.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace {

using nlohmann::json;

json golden_of(const std::string& name) {
  const auto path = kino_test::real_data("golden/fold/" + name + ".json");
  if (!path) return nullptr;
  std::ifstream in(*path);
  return json::parse(in);
}

kino::FoldedTrace folded(const std::filesystem::path& path, kino::LayerSource source) {
  auto opened = kino_test::open(path);
  REQUIRE(opened.ok());
  const kino::RangeAnalysis analysis(*opened->trace, kino::whole_range(*opened->trace));
  return kino::fold_layers(analysis, source);
}

/// Returns p10, p50, p90 (nearest rank), minimum and maximum of the work of copies. Excludes odd copies of
/// stacks that were found by names.
json work_ranks(const kino::LayerStack& stack) {
  std::vector<std::int64_t> works;
  const kino::LayerPhase phase = stack.backward ? kino::LayerPhase::backward : kino::LayerPhase::forward;
  for (const kino::LayerCopy& copy : stack.copies) {
    if (copy.phase == phase && (!copy.odd || !stack.layer_names.empty())) works.push_back(copy.cost.work_ns);
  }
  if (works.empty()) return nullptr;
  std::ranges::sort(works);
  const auto rank = [&](std::size_t percent) { return works[(works.size() * percent + 99) / 100 - 1]; };
  return {rank(10), rank(50), rank(90), works.front(), works.back()};
}

json effects_of(const kino::LayerStack& stack) {
  json effects = json::array();
  for (const auto& effect : stack.effects) effects.push_back(effect ? json(*effect) : json(nullptr));
  return effects;
}

/// Kernels and work of a layer in one phase, over all passes.
json phase_sums(const kino::LayerStack& stack, std::uint32_t layer, kino::LayerPhase phase) {
  std::uint64_t kernels = 0;
  std::int64_t work_ns = 0;
  std::int64_t communication_ns = 0;
  for (const kino::LayerCopy& copy : stack.copies) {
    if (copy.layer != layer || copy.phase != phase) continue;
    kernels += copy.cost.kernels;
    work_ns += copy.cost.work_ns;
    communication_ns += copy.cost.communication_ns;
  }
  return {kernels, work_ns, communication_ns};
}

void check_modules(const kino::LayerStack& stack, const json& golden) {
  CHECK(stack.layers == golden["layers"]);
  CHECK(stack.passes.size() == golden["passes"]);
  CHECK(json(stack.container_path) == golden["path"]);
  CHECK(effects_of(stack) == golden["effects"]);
  CHECK(json(stack.slow_layers) == golden["slow"]);
  CHECK(work_ranks(stack) == golden["work_ns"]);
  for (const json& row : golden["rows"]) {
    const std::uint32_t layer = row["layer"];
    CAPTURE(layer);
    CHECK(stack.layer_names[layer] == row["module"]);
    CHECK(phase_sums(stack, layer, kino::LayerPhase::forward) == row["forward"]);
    CHECK(phase_sums(stack, layer, kino::LayerPhase::backward) == row["backward"]);
    // The reference lists no recomputation, although its sum of the time in layers contains it.
    const json recomputed = phase_sums(stack, layer, kino::LayerPhase::recompute);
    if (recomputed[0] != 0) CHECK(recomputed[0] <= row["forward"][0]);
  }
}

json copies_by_pass(const kino::LayerStack& stack) {
  std::vector<std::uint32_t> copies(stack.passes.size());
  for (const kino::LayerCopy& copy : stack.copies) ++copies[copy.pass];
  return copies;
}

}  // namespace

TEST_CASE("layers by modules agree with the reference") {
  for (const char* const name : {"bert_h100", "bert_mi300", "owlv2_h100", "qwen_h100", "qwen_mi300",
                                 "resnet_checkpoint", "sd35", "transformer_cpu"}) {
    const json golden = golden_of(name);
    if (golden.is_null()) return;
    CAPTURE(name);
    const auto path = kino_test::real_data(golden["file"].get<std::string>());
    if (!path) continue;
    const kino::FoldedTrace result = folded(*path, kino::LayerSource::none);
    CHECK(result.fold.source == kino::LayerSource::modules);
    const json& wanted = golden["auto"];
    CHECK(result.fold.stacks.size() == wanted["stacks"].size());
    for (const json& stack : wanted["stacks"]) {
      CAPTURE(stack["container"].get<std::string>());
      const auto found = std::ranges::find(result.fold.stacks, stack["container"].get<std::string>(),
                                           &kino::LayerStack::container);
      REQUIRE(found != result.fold.stacks.end());
      check_modules(*found, stack);
    }
  }
}

TEST_CASE("layers by kernel names agree with the reference") {
  // The reference also folds collectives of DeepSeek, and begins the backward copies of a noisy CPU run
  // elsewhere.
  struct Checked {
    const char* name;
    bool forward = true;
    bool backward = true;
  };
  for (const Checked& checked :
       {Checked{"bert_h100"}, Checked{"bert_mi300"}, Checked{"owlv2_h100"}, Checked{"qwen_h100"},
        Checked{"qwen_mi300"}, Checked{"lightllm_decode"}, Checked{"moe_b200"}, Checked{"sglang_decode"},
        Checked{"transformer_cpu"}, Checked{"vllm_piecewise"}, Checked{"torchtitan_rank0"},
        Checked{"transformer_cpu_names", true, false}, Checked{"deepseek_train", false, true}}) {
    const json golden = golden_of(checked.name);
    if (golden.is_null()) return;
    CAPTURE(checked.name);
    const auto path = kino_test::real_data(golden["file"].get<std::string>());
    if (!path) continue;
    const kino::FoldedTrace result = folded(*path, kino::LayerSource::names);
    for (const json& stack : golden[golden.contains("names") ? "names" : "auto"]["stacks"]) {
      const bool backward = stack["backward"];
      if (backward ? !checked.backward : !checked.forward) continue;
      const auto found = std::ranges::find_if(result.fold.stacks, [&](const kino::LayerStack& candidate) {
        return candidate.layers == stack["layers"] && candidate.backward == backward;
      });
      CHECK(found != result.fold.stacks.end());
      if (found == result.fold.stacks.end()) continue;
      CHECK(copies_by_pass(*found) == stack["copies"]);
      CHECK(found->body_kernels == stack["kernels"]);
      CHECK(work_ranks(*found) == stack["work_ns"]);
      CHECK(found->odd_copies() == stack["odd"]);
      CHECK(json(found->slow_layers) == stack["slow"]);
    }
  }
}

TEST_CASE("traces whose layers names cannot find have no stack of layers") {
  for (const char* const name : {"dlrm_a100", "megatron_2", "nanogpt"}) {
    const json golden = golden_of(name);
    if (golden.is_null()) return;
    CAPTURE(name);
    const auto path = kino_test::real_data(golden["file"].get<std::string>());
    if (path) CHECK(folded(*path, kino::LayerSource::names).fold.stacks.empty());
  }
}

TEST_CASE("alike parts agree with the reference, and are found only if they are chosen") {
  // The reference also finds parts in a ResNet, which are not compared: they depend on details of its rules.
  for (const char* const name : {"megatron_2", "nanogpt"}) {
    const json golden = golden_of(name);
    if (golden.is_null()) return;
    CAPTURE(name);
    const auto path = kino_test::real_data(golden["file"].get<std::string>());
    if (!path) continue;
    CHECK(folded(*path, kino::LayerSource::none).fold.source != kino::LayerSource::alike);
    const kino::LayerFold fold = folded(*path, kino::LayerSource::alike).fold;
    CHECK(fold.source == kino::LayerSource::alike);
    for (const json& stack : golden["auto"]["stacks"]) {
      const auto found = std::ranges::find_if(fold.stacks, [&](const kino::LayerStack& candidate) {
        return candidate.layers == stack["layers"] && candidate.backward == stack["backward"];
      });
      REQUIRE(found != fold.stacks.end());
      CHECK(found->alike);
      CHECK(copies_by_pass(*found) == stack["copies"]);
      CHECK(found->body_kernels == stack["kernels"]);
      CHECK(work_ranks(*found) == stack["work_ns"]);
      CHECK(found->odd_copies() == stack["odd"]);
      CHECK(json(found->slow_layers) == stack["slow"]);
      // The end of the last part is not marked, and the reference places it a few kernels earlier or later.
      const double time_ns = stack["time_ns"];
      CHECK(static_cast<double>(found->work_ns) == doctest::Approx(time_ns).epsilon(0.01));
    }
  }
}

TEST_CASE("layers by annotations agree with the reference") {
  const json golden = golden_of("torchtitan_rank0");
  if (golden.is_null()) return;
  const auto path = kino_test::real_data(golden["file"].get<std::string>());
  if (!path) return;
  const kino::FoldedTrace result = folded(*path, kino::LayerSource::none);
  CHECK(result.fold.source == kino::LayerSource::annotations);
  REQUIRE(result.fold.stacks.size() == 1);
  CHECK(result.fold.stacks[0].layers == golden["auto"]["stacks"][0]["layers"]);
  CHECK(result.fold.stacks[0].container == golden["auto"]["stacks"][0]["base"]);
  REQUIRE(result.others.size() == 1);
  CHECK(result.others[0].backward_layers == 3);
}

TEST_CASE("generated traces have the layers, passes and slow layers that the generator inserted") {
  const json golden = golden_of("made");
  const auto tool = kino_test::real_data("../tools/make_layers.py");
  if (golden.is_null() || !tool) return;
  const kino_test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "made.json";
  // By default, runs only every third case, since the others differ in seeds and sizes.
  const std::size_t kEvery = std::getenv("KINETOSCOPE_ALL_LAYERS") == nullptr ? 3 : 1;
  std::size_t number = 0;
  for (const json& made : golden["cases"]) {
    if (number++ % kEvery != 0) continue;
    const std::string recipe = made["recipe"];
    CAPTURE(recipe);
    const std::string command = "python3 '" + tool->string() + "' '" + path.string() + "' " + recipe;
    REQUIRE(std::system(command.c_str()) == 0);  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
    const kino::FoldedTrace result = folded(path, kino::LayerSource::none);
    CHECK(result.fold.stacks.size() == made["stacks"].size());
    for (const json& stack : made["stacks"]) {
      const bool backward = stack["backward"].is_boolean() && stack["backward"].get<bool>();
      const auto found = std::ranges::find(result.fold.stacks, backward, &kino::LayerStack::backward);
      REQUIRE(found != result.fold.stacks.end());
      CHECK(found->passes.size() == stack["passes"]);
      // The reference misses the dense layer of this backward pass.
      if (recipe == "--layers 24 --dense 1 --steps 2" && backward) {
        CHECK(found->layers == 24);
        continue;
      }
      CHECK(found->layers == stack["layers"]);
      CHECK(json(found->slow_layers) == stack["slow"]);
      CHECK(json(found->slow_cells) == stack["slow_cells"]);
      // With experts, two iteration counts are equally common, so the body may have either of them.
      if (recipe.find("--experts") == std::string::npos) CHECK(work_ranks(*found) == stack["work_ns"]);
      if (!stack["odd"].is_null()) CHECK(found->odd_copies() == stack["odd"]);
    }
  }
}
