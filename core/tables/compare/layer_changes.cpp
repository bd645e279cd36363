#include "core/tables/compare/layer_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/compare/run_record.hpp"
#include "core/tables/layers/layer_fold.hpp"
#include "core/tables/layers/layer_table.hpp"
#include "core/tables/layers/layer_verdict.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostNamedLayers = 5;
constexpr std::int64_t kUnchanged = 1000;  // per mille

/// Returns, for each pass of a stack, whether it is in the windows of the run.
std::vector<bool> compared_passes(const LayerStack& stack, const RunRecord& run) {
  std::vector<bool> compared(stack.passes.size());
  if (run.has_steps) {
    std::set<std::string> steps;
    for (const RunWindow& window : run.windows) steps.insert(window.name);
    for (std::size_t i = 0; i < compared.size(); ++i) {
      const auto step = stack.passes[i].step;
      compared[i] = step && steps.contains(std::to_string(*step));
    }
    return compared;
  }
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> starts(stack.passes.size(), kNever);
  for (const LayerCopy& copy : stack.copies)
    starts[copy.pass] = std::min(starts[copy.pass], copy.span.begin_ns);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    compared[i] = std::ranges::any_of(run.windows, [&](const RunWindow& window) {
      return starts[i] >= window.range.begin_ns && starts[i] < window.range.end_ns;
    });
  }
  return compared;
}

/// Values of one layer, one per pass.
struct LayerValues {
  std::array<std::vector<std::int64_t>, kLayerPhases> work_ns;
  std::array<std::vector<std::int64_t>, kLayerPhases> communication_ns;

  RunLayer medians(std::uint32_t layer) {
    RunLayer row;
    row.layer = layer;
    for (std::size_t phase = 0; phase < kLayerPhases; ++phase) {
      row.work_ns[phase] = integer_median(std::move(work_ns[phase]));
      add_saturating(row.communication_ns, integer_median(std::move(communication_ns[phase])));
    }
    return row;
  }
};

LayerStack without_copies(const LayerStack& from) {
  LayerStack stack;
  stack.module_class = from.module_class;
  stack.container = from.container;
  stack.layer_names = from.layer_names;
  stack.backward = from.backward;
  stack.layers = from.layers;
  stack.layers_per_copy = from.layers_per_copy;
  stack.body_kernels = from.body_kernels;
  return stack;
}

/// Stacks with equal keys have the same layers.
using StackKey = std::tuple<std::string, std::string, bool, std::uint32_t, std::uint32_t>;

StackKey stack_key(const LayerStack& stack) {
  // Names of containers contain the number of the instance, which can differ between runs.
  return {stack.module_class, stack.module_class.empty() ? stack.container : std::string(), stack.backward,
          stack.layers, stack.layers_per_copy};
}

/// Returns, for each stack of `a`, the index of the same stack of `b`, or the number of stacks of `b`.
std::vector<std::size_t> matching_stacks(const RunLayers& a, const RunLayers& b) {
  std::map<StackKey, std::vector<std::size_t>> of_b;
  for (std::size_t i = 0; i < b.stacks.size(); ++i) of_b[stack_key(b.stacks[i].stack)].push_back(i);
  std::map<StackKey, std::size_t> used;
  std::vector<std::size_t> matches;
  matches.reserve(a.stacks.size());
  for (const RunStack& stack : a.stacks) {
    const StackKey key = stack_key(stack.stack);
    const auto found = of_b.find(key);
    const std::size_t number = used[key]++;
    const bool known = found != of_b.end() && number < found->second.size();
    matches.push_back(known ? found->second[number] : b.stacks.size());
  }
  return matches;
}

Message percent_change(std::int64_t per_mille_of_a) {
  return formatted("%+.1f %%", static_cast<double>(per_mille_of_a - kUnchanged) / 10);
}

/// Marks the outliers among the rows of the last stack, and adds notes on its changes. Returns whether
/// enough layers could be compared.
bool judge_changes(LayerChanges& changes, std::size_t first_row) {
  LayerStack judged = changes.stacks.back();
  const Message label = stack_label(judged);
  judged.backward = false;
  judged.passes.resize(1);
  std::vector<std::int64_t> ratios;
  for (std::size_t i = first_row; i < changes.rows.size(); ++i) {
    const LayerChange& row = changes.rows[i];
    if (row.a.total_ns() <= 0) continue;
    LayerCopy& copy = judged.copies.emplace_back();
    copy.layer = static_cast<std::uint32_t>(i - first_row);
    copy.cost.work_ns = per_mille(row.b.total_ns(), row.a.total_ns());
    ratios.push_back(copy.cost.work_ns);
  }
  if (ratios.empty()) return false;
  judged.layers = static_cast<std::uint32_t>(changes.rows.size() - first_row);
  judge_stack(judged);
  const Message median = percent_change(integer_median(ratios));
  changes.notes.emplace_back(msg::median_change_of_layers, label, grouped(ratios.size()), median);
  std::vector<std::uint32_t> slowest = judged.slow_layers;
  const auto ratio_of = [&](std::uint32_t row) {
    return std::ranges::find(judged.copies, row, &LayerCopy::layer)->cost.work_ns;
  };
  std::ranges::stable_sort(slowest, std::greater<>(), ratio_of);
  for (std::size_t i = 0; i < slowest.size(); ++i) {
    LayerChange& row = changes.rows[first_row + slowest[i]];
    row.stands_out = true;
    if (i < kMostNamedLayers) {
      changes.notes.emplace_back(msg::layer_changed_more, std::to_string(row.a.layer), label,
                                 percent_change(ratio_of(slowest[i])), median);
    }
  }
  if (slowest.size() > kMostNamedLayers) {
    changes.notes.emplace_back(msg::more_layers_changed_more,
                               std::to_string(slowest.size() - kMostNamedLayers));
  }
  return is_judged(judged);
}

/// Adds the rows of the layers that both stacks have. Returns the result of judge_changes().
bool add_common_rows(LayerChanges& changes, const RunStack& a, const RunStack& b) {
  changes.stacks.push_back(a.stack);
  const std::size_t first = changes.rows.size();
  for (const RunLayer& row : a.rows) {
    const auto other = std::ranges::lower_bound(b.rows, row.layer, {}, &RunLayer::layer);
    if (other == b.rows.end() || other->layer != row.layer) continue;
    LayerChange& change = changes.rows.emplace_back();
    change.stack = static_cast<std::uint32_t>(changes.stacks.size() - 1);
    change.a = row;
    change.b = *other;
  }
  const bool judged = judge_changes(changes, first);
  if (a.stack.body_kernels != b.stack.body_kernels && a.stack.body_kernels > 0 && b.stack.body_kernels > 0) {
    changes.notes.emplace_back(msg::kernels_per_layer_differ, stack_label(a.stack),
                               grouped(a.stack.body_kernels), grouped(b.stack.body_kernels));
  }
  return judged;
}

void add_unmatched(LayerChanges& changes, const LayerStack& stack, const char* side) {
  changes.notes.emplace_back(msg::stack_only_in_one_run, side, stack_label(stack), grouped(stack.layers));
}

}  // namespace

std::int64_t RunLayer::total_ns() const {
  std::int64_t sum_ns = 0;
  for (const std::int64_t ns : work_ns) add_saturating(sum_ns, ns);
  return sum_ns;
}

std::int64_t LayerChange::change_ns() const { return saturating_subtract(b.total_ns(), a.total_ns()); }

RunLayers run_layers(const OperatorParts& parts, const RunRecord& run, const std::stop_token& stop) {
  const LayerFold fold = fold_layers(parts, LayerSource::none, stop).fold;
  RunLayers layers;
  layers.source = fold.source;
  layers.operators = fold.operators;
  std::vector<std::map<std::uint32_t, LayerValues>> values(fold.stacks.size());
  std::vector<std::int64_t> starts(fold.stacks.size(), std::numeric_limits<std::int64_t>::max());
  for (std::uint32_t i = 0; i < fold.stacks.size(); ++i) {
    const LayerStack& stack = fold.stacks[i];
    const std::vector<bool> compared = compared_passes(stack, run);
    for (const LayerCopy& copy : stack.copies) {
      starts[i] = std::min(starts[i], copy.span.begin_ns);
      if (!compared[copy.pass]) continue;
      LayerValues& of_layer = values[shown_stack(fold, i)][copy.layer];
      const auto phase = static_cast<std::size_t>(copy.phase);
      of_layer.work_ns[phase].push_back(copy.cost.work_ns);
      of_layer.communication_ns[phase].push_back(copy.cost.communication_ns);
    }
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < fold.stacks.size(); ++i) {
    if (!values[i].empty()) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return starts[i]; });
  for (const std::uint32_t i : order) {
    RunStack& stack = layers.stacks.emplace_back();
    stack.stack = without_copies(fold.stacks[i]);
    for (auto& [layer, of_layer] : values[i]) stack.rows.push_back(of_layer.medians(layer));
  }
  return layers;
}

RunLayers median_layers(std::span<const RunLayers> runs) {
  RunLayers median = runs.front();
  std::vector<std::vector<std::size_t>> matches;
  matches.reserve(runs.size());
  for (const RunLayers& run : runs) {
    const bool same = run.source == median.source && run.operators == median.operators;
    matches.push_back(same ? matching_stacks(median, run)
                           : std::vector<std::size_t>(median.stacks.size(), run.stacks.size()));
  }
  for (std::size_t i = 0; i < median.stacks.size(); ++i) {
    for (RunLayer& row : median.stacks[i].rows) {
      LayerValues values;
      std::vector<std::int64_t> communication_ns;
      for (std::size_t run = 0; run < runs.size(); ++run) {
        if (matches[run][i] == runs[run].stacks.size()) continue;
        const std::vector<RunLayer>& rows = runs[run].stacks[matches[run][i]].rows;
        const auto found = std::ranges::lower_bound(rows, row.layer, {}, &RunLayer::layer);
        if (found == rows.end() || found->layer != row.layer) continue;
        for (std::size_t phase = 0; phase < kLayerPhases; ++phase)
          values.work_ns[phase].push_back(found->work_ns[phase]);
        values.communication_ns[0].push_back(found->communication_ns);
      }
      row = values.medians(row.layer);
    }
  }
  return median;
}

LayerChanges compare_layers(const RunLayers& a, const RunLayers& b) {
  LayerChanges changes;
  for (const auto& [run, side] : {std::pair{&a, "A"}, std::pair{&b, "B"}}) {
    if (run->stacks.empty()) changes.notes.emplace_back(msg::run_has_no_layers, side);
  }
  if (!changes.notes.empty()) return changes;
  if (a.source != b.source || a.operators != b.operators) {
    changes.notes.emplace_back(msg::sources_of_layers_differ, source_name(a.source), source_name(b.source));
    return changes;
  }
  const std::vector<std::size_t> matches = matching_stacks(a, b);
  std::vector<bool> found(b.stacks.size());
  bool judged = false;
  for (std::size_t i = 0; i < a.stacks.size(); ++i) {
    if (matches[i] == b.stacks.size()) continue;
    found[matches[i]] = true;
    judged = add_common_rows(changes, a.stacks[i], b.stacks[matches[i]]) || judged;
  }
  for (std::size_t i = 0; i < a.stacks.size(); ++i) {
    if (matches[i] == b.stacks.size()) add_unmatched(changes, a.stacks[i].stack, "A");
  }
  for (std::size_t i = 0; i < b.stacks.size(); ++i) {
    if (!found[i]) add_unmatched(changes, b.stacks[i].stack, "B");
  }
  if (judged && std::ranges::none_of(changes.rows, [](const LayerChange& row) { return row.stands_out; }))
    changes.notes.emplace_back(msg::no_layer_changed_more);
  return changes;
}

}  // namespace kino
