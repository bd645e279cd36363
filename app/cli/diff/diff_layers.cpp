#include "app/cli/diff/diff_layers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/diff/markdown.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/layers/layer_table.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostTextLayers = 12;
constexpr std::int64_t kMostStoredNs = std::int64_t{1} << 52U;  // sums cannot overflow
constexpr std::uint32_t kMostStoredLayers = 1U << 20U;
constexpr std::array<std::string_view, 5> kStoredSources{"none", "modules", "annotations", "names", "alike"};
constexpr std::array<const char*, kLayerPhases> kPhaseKeys{"forward", "backward", "recompute"};

std::string layer_ms(std::int64_t ns) { return formatted("%.3f", static_cast<double>(ns) / 1e6); }

std::string signed_layer_ms(std::int64_t ns) { return formatted("%+.3f", static_cast<double>(ns) / 1e6); }

/// Change as a share of A; empty if A has no time.
std::string layer_percent(const LayerChange& row) {
  if (row.a.total_ns() <= 0) return {};
  return formatted("%+.1f %%",
                   static_cast<double>(row.change_ns()) / static_cast<double>(row.a.total_ns()) * 100);
}

/// "Model_0.Block 17", or "forward 17".
std::string layer_label(const LayerChanges& changes, const LayerChange& row) {
  const LayerStack& stack = changes.stacks[row.stack];
  const std::string module = module_of(stack, row.a.layer).str();
  return stack_label(stack).str() + " " + (module.empty() ? std::to_string(row.a.layer) : module);
}

}  // namespace

std::string layers_text(const LayerChanges& changes) {
  std::string out;
  for (const Message& note : changes.notes) out += "      " + escaped(note.str()) + "\n";
  std::vector<const LayerChange*> rows;
  rows.reserve(changes.rows.size());
  for (const LayerChange& row : changes.rows) rows.push_back(&row);
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const LayerChange* row) { return std::abs(row->change_ns()); });
  const std::size_t shown = std::min(rows.size(), kMostTextLayers);
  for (std::size_t i = 0; i < shown; ++i) {
    const LayerChange& row = *rows[i];
    out += "      " + padded_left(layer_ms(row.a.total_ns()), 10) + " -> " +
           padded_left(layer_ms(row.b.total_ns()), 9) + " ms" +
           padded_left(signed_layer_ms(row.change_ns()), 10) + " ms" + padded_left(layer_percent(row), 10) +
           "  " + escaped(layer_label(changes, row)) + "\n";
  }
  if (shown < rows.size()) {
    out += "      and " + std::to_string(rows.size() - shown) +
           " layers that changed less; --format json lists all\n";
  }
  return out.empty() ? out : "    layers, median over the passes\n" + out;
}

std::string layers_markdown(const LayerChanges& changes, std::size_t most_bytes) {
  std::string out = "\n<details><summary>Layers</summary>\n\n";
  for (const Message& note : changes.notes) out += "- " + markdown_text(note.str()) + "\n";
  if (!changes.rows.empty()) out += "\n| layer | A ms | B ms | change ms | change |\n|---|--:|--:|--:|--:|\n";
  for (const LayerChange& row : changes.rows) {
    if (out.size() > most_bytes) break;
    out += "| " + markdown_text(layer_label(changes, row)) + " | " + layer_ms(row.a.total_ns()) + " | " +
           layer_ms(row.b.total_ns()) + " | " + signed_layer_ms(row.change_ns()) + " | " +
           layer_percent(row) + " |\n";
  }
  return out + "\n</details>\n";
}

nlohmann::ordered_json layers_json(const LayerChanges& changes) {
  Json rows = Json::array();
  for (const LayerChange& row : changes.rows) {
    const LayerStack& stack = changes.stacks[row.stack];
    Json& made = rows.emplace_back(Json{{"stack", row.stack},
                                        {"layers", stack_label(stack).str()},
                                        {"layer", row.a.layer},
                                        {"module", module_of(stack, row.a.layer).str()},
                                        {"a_ns", row.a.total_ns()},
                                        {"b_ns", row.b.total_ns()},
                                        {"change_ns", row.change_ns()},
                                        {"stands_out", row.stands_out}});
    for (std::size_t phase = 0; phase < kLayerPhases; ++phase) {
      made[std::string(kPhaseKeys[phase]) + "_a_ns"] = row.a.work_ns[phase];
      made[std::string(kPhaseKeys[phase]) + "_b_ns"] = row.b.work_ns[phase];
    }
    made["comm_a_ns"] = row.a.communication_ns;
    made["comm_b_ns"] = row.b.communication_ns;
  }
  return {{"notes", english_texts(changes.notes)}, {"rows", rows}};
}

nlohmann::ordered_json stored_layers(const RunLayers& layers) {
  Json stacks = Json::array();
  for (const RunStack& stack : layers.stacks) {
    Json rows = Json::array();
    for (const RunLayer& row : stack.rows)
      rows.push_back({row.layer, row.work_ns[0], row.work_ns[1], row.work_ns[2], row.communication_ns});
    const LayerStack& facts = stack.stack;
    stacks.push_back({{"class", facts.module_class},
                      {"container", facts.container},
                      {"names", facts.layer_names},
                      {"backward", facts.backward},
                      {"layers", facts.layers},
                      {"layers_per_copy", facts.layers_per_copy},
                      {"kernels", facts.body_kernels},
                      {"rows", rows}});
  }
  return {{"source", kStoredSources[static_cast<std::size_t>(layers.source)]},
          {"operators", layers.operators},
          {"stacks", stacks}};
}

RunLayers layers_from(const nlohmann::ordered_json& json) {
  const auto time = [](const Json& ns) {
    return std::clamp<std::int64_t>(ns.get<std::int64_t>(), 0, kMostStoredNs);
  };
  const auto count = [](const Json& number) {
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(number.get<std::int64_t>(), 0, kMostStoredLayers));
  };
  RunLayers layers;
  const auto source = std::ranges::find(kStoredSources, json.at("source").get<std::string>());
  if (source != kStoredSources.end())
    layers.source = static_cast<LayerSource>(source - kStoredSources.begin());
  layers.operators = json.at("operators").get<bool>();
  for (const Json& stored : json.at("stacks")) {
    RunStack& stack = layers.stacks.emplace_back();
    stack.stack.module_class = stored.at("class").get<std::string>();
    stack.stack.container = stored.at("container").get<std::string>();
    stack.stack.layer_names = stored.at("names").get<std::vector<std::string>>();
    stack.stack.backward = stored.at("backward").get<bool>();
    stack.stack.layers = count(stored.at("layers"));
    stack.stack.layers_per_copy = std::max(1U, count(stored.at("layers_per_copy")));
    stack.stack.body_kernels = count(stored.at("kernels"));
    for (const Json& values : stored.at("rows")) {
      RunLayer row;
      row.layer = count(values.at(0));
      if (!stack.rows.empty() && row.layer <= stack.rows.back().layer) continue;
      for (std::size_t phase = 0; phase < kLayerPhases; ++phase)
        row.work_ns[phase] = time(values.at(1 + phase));
      row.communication_ns = time(values.at(1 + kLayerPhases));
      stack.rows.push_back(row);
    }
  }
  return layers;
}

}  // namespace kino
