#include "core/tables/layers/layer_verdict.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

constexpr std::int64_t kWhole = 1000;
constexpr std::int64_t kLeastLayerExcess = 50;
constexpr std::int64_t kLeastCellExcess = 250;
constexpr std::int64_t kDeviations = 6;
constexpr std::size_t kLeastJudged = 4;

std::int64_t deviation_from(const std::vector<std::int64_t>& values, std::int64_t median) {
  std::vector<std::int64_t> distances;
  distances.reserve(values.size());
  for (const std::int64_t value : values)
    distances.push_back(value > median ? value - median : median - value);
  return integer_median(std::move(distances));
}

/// Returns the value that exceeds `median` by `least` or six deviations, whichever is more.
std::int64_t limit_above(std::int64_t median, std::int64_t least, std::int64_t deviation) {
  const bool fits = deviation <= INT64_MAX / kDeviations;
  return saturating_add(median, fits ? std::max(least, kDeviations * deviation) : INT64_MAX);
}

/// Returns the indices of the effects that exceed the median effect by more than max(50, 6 MAD). Empty if
/// fewer than four effects are known.
std::vector<std::uint32_t> slow_ones(const std::vector<std::optional<std::int64_t>>& effects) {
  std::vector<std::int64_t> known;
  for (const auto& effect : effects) {
    if (effect) known.push_back(*effect);
  }
  std::vector<std::uint32_t> slow;
  if (known.size() < kLeastJudged) return slow;
  const std::int64_t median = integer_median(known);
  const std::int64_t limit = limit_above(median, kLeastLayerExcess, deviation_from(known, median));
  for (std::uint32_t i = 0; i < effects.size(); ++i) {
    if (effects[i] && *effects[i] > limit) slow.push_back(i);
  }
  return slow;
}

}  // namespace

std::int64_t integer_median(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const std::int64_t lower = *std::max_element(values.begin(), middle);
  return lower + (*middle - lower) / 2;
}

std::int64_t per_mille(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return 0;
  return part > INT64_MAX / kWhole ? part / std::max<std::int64_t>(1, whole / kWhole) : kWhole * part / whole;
}

void judge_stack(LayerStack& stack) {
  stack.slow_layers.clear();
  stack.slow_cells.clear();
  stack.slow_passes.clear();
  stack.effects.assign(stack.layers, std::nullopt);
  const LayerPhase phase = stack.backward ? LayerPhase::backward : LayerPhase::forward;
  struct Cell {
    std::uint32_t layer;
    std::uint32_t pass;
    std::int64_t work_ns;
  };
  std::vector<Cell> cells;
  std::vector<std::vector<std::int64_t>> by_pass(stack.passes.size());
  for (const LayerCopy& copy : stack.copies) {
    if (copy.odd || copy.phase != phase || copy.layer >= stack.layers) continue;
    cells.push_back({copy.layer, copy.pass, copy.cost.work_ns});
    by_pass[copy.pass].push_back(copy.cost.work_ns);
  }
  std::vector<std::int64_t> pass_median;
  pass_median.reserve(by_pass.size());
  for (std::vector<std::int64_t>& works : by_pass) pass_median.push_back(integer_median(std::move(works)));
  std::vector<std::vector<std::int64_t>> by_layer(stack.layers);
  std::vector<std::vector<std::int64_t>> layer_works(stack.layers);
  for (const Cell& cell : cells) {
    by_layer[cell.layer].push_back(per_mille(cell.work_ns, pass_median[cell.pass]));
    layer_works[cell.layer].push_back(cell.work_ns);
  }
  for (std::uint32_t layer = 0; layer < stack.layers; ++layer) {
    if (!by_layer[layer].empty()) stack.effects[layer] = integer_median(by_layer[layer]);
  }
  if (!is_judged(stack)) return;
  stack.slow_layers = slow_ones(stack.effects);
  // Judge cells relative to the effect of their layer.
  std::vector<std::int64_t> values;
  values.reserve(cells.size());
  for (const Cell& cell : cells)
    values.push_back(per_mille(per_mille(cell.work_ns, pass_median[cell.pass]), *stack.effects[cell.layer]));
  const std::int64_t limit =
      limit_above(kWhole, kLeastCellExcess, deviation_from(values, integer_median(values)));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (values[i] > limit) stack.slow_cells.emplace_back(cells[i].layer, cells[i].pass);
  }
  // Judge passes relative to the median of each layer.
  std::vector<std::vector<std::int64_t>> of_pass(stack.passes.size());
  std::vector<std::int64_t> layer_median;
  layer_median.reserve(layer_works.size());
  for (std::vector<std::int64_t>& works : layer_works)
    layer_median.push_back(integer_median(std::move(works)));
  for (const Cell& cell : cells)
    of_pass[cell.pass].push_back(per_mille(cell.work_ns, layer_median[cell.layer]));
  std::vector<std::optional<std::int64_t>> pass_effects(stack.passes.size());
  for (std::size_t i = 0; i < of_pass.size(); ++i) {
    if (!of_pass[i].empty()) pass_effects[i] = integer_median(of_pass[i]);
  }
  stack.slow_passes = slow_ones(pass_effects);
}

bool is_judged(const LayerStack& stack) {
  const auto known =
      std::ranges::count_if(stack.effects, [](const auto& effect) { return effect.has_value(); });
  return static_cast<std::size_t>(known) >= kLeastJudged;
}

}  // namespace kino
