#include "core/tables/layers/layer_profile.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <tuple>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/layers/layer_table.hpp"
#include "core/tables/layers/layer_verdict.hpp"

namespace kino {
namespace {

constexpr std::int64_t kMedianEffect = 1000;

/// Returns the ceil(percent / 100 * n)-th smallest of n values; 0 without values. Reorders the values.
std::int64_t nearest_rank(std::vector<std::int64_t>& values, std::size_t percent) {
  if (values.empty()) return 0;
  const std::size_t rank = std::max<std::size_t>(1, (values.size() * percent + 99) / 100);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Returns the copies to compare: without odd ones if possible, and with the most common number of kernels.
std::vector<const LayerCopy*> comparable_copies(const LayerStack& stack,
                                                std::span<const std::uint32_t> copies) {
  std::vector<const LayerCopy*> compared;
  for (const bool odd : {false, true}) {
    for (const std::uint32_t copy : copies) {
      if (stack.copies[copy].odd == odd) compared.push_back(&stack.copies[copy]);
    }
    if (!compared.empty()) break;
  }
  std::map<std::uint32_t, std::size_t> counts;
  for (const LayerCopy* copy : compared) ++counts[copy->count];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  if (most == counts.end()) return compared;
  std::erase_if(compared, [&](const LayerCopy* copy) { return copy->count != most->first; });
  return compared;
}

/// Measures the kernel at one position of the compared copies.
BodyKernel measured_kernel(const Trace& trace, const LayerFold& fold,
                           std::span<const LayerCopy* const> copies, std::uint32_t position) {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> durations;
  std::vector<std::int64_t> ends;
  BodyKernel kernel;
  for (const LayerCopy* copy : copies) {
    const SliceId slice = fold.kernels[copy->first + position];
    starts.push_back(saturating_subtract(trace.start_ns(slice), copy->span.begin_ns));
    ends.push_back(saturating_subtract(trace.end_ns(slice), copy->span.begin_ns));
    durations.push_back(trace.duration_ns(slice));
    if (kernel.longest == kNoSlice || durations.back() > trace.duration_ns(kernel.longest))
      kernel.longest = slice;
  }
  kernel.offset_ns = nearest_rank(starts, 50);
  kernel.p10_ns = nearest_rank(durations, 10);
  kernel.median_ns = nearest_rank(durations, 50);
  kernel.p90_ns = nearest_rank(durations, 90);
  kernel.end_p10_ns = nearest_rank(ends, 10);
  kernel.end_p90_ns = nearest_rank(ends, 90);
  return kernel;
}

/// Lists of values of one layer and phase, one value per pass.
struct PassValues {
  std::vector<std::int64_t> work_ns;
  std::vector<std::int64_t> communication_ns;
  std::vector<std::int64_t> idle_ns;
  std::vector<std::int64_t> kernels;
  std::vector<double> flop;
  std::vector<std::int64_t> kept_bytes;

  void add(const LayerCost& cost) {
    work_ns.push_back(cost.work_ns);
    communication_ns.push_back(cost.communication_ns);
    idle_ns.push_back(cost.idle_ns);
    kernels.push_back(static_cast<std::int64_t>(cost.kernels));
    flop.push_back(cost.flop);
    if (cost.kept_bytes) kept_bytes.push_back(*cost.kept_bytes);
  }

  /// Adds the medians to the figures of the layer.
  void summarize(LayerPhase phase, LayerFigures& figures) {
    figures.work_ns[static_cast<std::size_t>(phase)] = nearest_rank(work_ns, 50);
    add_saturating(figures.communication_ns, nearest_rank(communication_ns, 50));
    add_saturating(figures.idle_ns, nearest_rank(idle_ns, 50));
    add_saturating(figures.kernels, nearest_rank(kernels, 50));
    const auto middle = flop.begin() + static_cast<std::ptrdiff_t>((flop.size() - 1) / 2);
    std::nth_element(flop.begin(), middle, flop.end());
    figures.flop += *middle;
    if (!kept_bytes.empty())
      figures.kept_bytes = saturating_add(figures.kept_bytes.value_or(0), nearest_rank(kept_bytes, 50));
  }
};

std::vector<LayerFigures> figures_of(const LayerFold& fold, const LayerView& view) {
  std::map<std::uint32_t, LayerFigures> figures;
  for (const LayerGrid& grid : view.grids) {
    const LayerStack& stack = fold.stacks[grid.stack()];
    std::map<std::uint32_t, PassValues> values;
    for (const LayerCell& cell : grid.cells()) values[cell.layer].add(stack.copies[cell.copy].cost);
    for (auto& [layer, lists] : values) lists.summarize(grid.phase(), figures[layer]);
  }
  const LayerStack& shown = fold.stacks[view.stack];
  std::vector<LayerFigures> rows;
  rows.reserve(figures.size());
  for (auto& [layer, row] : figures) {
    row.layer = layer;
    if (layer < shown.effects.size()) row.effect = shown.effects[layer];
    rows.push_back(row);
  }
  return rows;
}

/// The phase in which judge_stack() compares the copies.
LayerPhase judged_phase(const LayerStack& stack) {
  return stack.backward ? LayerPhase::backward : LayerPhase::forward;
}

std::vector<LayerOutlier> outliers_of(const LayerFold& fold, const LayerView& view) {
  std::vector<LayerOutlier> layers;
  std::vector<LayerOutlier> cells;
  for (std::size_t i = 0; i < view.grids.size(); ++i) {
    const LayerGrid& grid = view.grids[i];
    const LayerStack& stack = fold.stacks[grid.stack()];
    if (grid.phase() != judged_phase(stack)) continue;
    for (const std::uint32_t layer : stack.slow_layers) {
      layers.push_back(
          {i, layer, std::nullopt, stack.effects[layer].value_or(kMedianEffect) - kMedianEffect});
    }
    for (const auto& [layer, pass] : stack.slow_cells) {
      if (const LayerCell* cell = grid.find(layer, pass); cell != nullptr)
        cells.push_back({i, layer, pass, cell->deviation});
    }
  }
  std::ranges::stable_sort(layers, std::greater<>(), &LayerOutlier::excess);
  std::ranges::stable_sort(cells, std::greater<>(), &LayerOutlier::excess);
  std::ranges::move(cells, std::back_inserter(layers));
  return layers;
}

void add_grids(const LayerFold& fold, std::uint32_t stack, LayerView& view) {
  for (const LayerPhase phase : {LayerPhase::forward, LayerPhase::backward, LayerPhase::recompute}) {
    if (std::ranges::find(fold.stacks[stack].copies, phase, &LayerCopy::phase) !=
        fold.stacks[stack].copies.end())
      view.grids.emplace_back(fold, stack, phase);
  }
}

void add_bodies(const Trace& trace, const LayerFold& fold, LayerView& view, const std::stop_token& stop) {
  const bool slow = !view.outliers.empty() && !view.outliers.front().pass;
  for (const LayerGrid& grid : view.grids) {
    const LayerStack& stack = fold.stacks[grid.stack()];
    std::vector<std::uint32_t> copies;
    for (const LayerCell& cell : grid.cells()) copies.push_back(cell.copy);
    view.bodies.push_back(body_of(trace, fold, stack, copies, stop));
    if (!slow) continue;
    copies.clear();
    for (const std::uint32_t cell : grid.of_layer(view.outliers.front().layer))
      copies.push_back(grid.cells()[cell].copy);
    view.slowest.push_back(body_of(trace, fold, stack, copies, stop));
  }
}

BodyKind kind_of_category(std::string_view category) {
  const auto is_one_of = [category](std::initializer_list<msg::Id> names) {
    return std::ranges::any_of(names, [category](msg::Id id) { return category == english(id); });
  };
  if (is_one_of({msg::attention})) return BodyKind::attention;
  if (is_one_of({msg::matrix_product, msg::convolution})) return BodyKind::matrix;
  if (is_one_of({msg::compiled_triton, msg::elementwise, msg::embedding_and_indexing,
                 msg::optimizer_and_foreach, msg::normalization, msg::softmax, msg::pooling_and_resampling,
                 msg::copy_by_a_kernel, msg::random_numbers, msg::reduction, msg::copy_other, msg::memset}))
    return BodyKind::memory;
  return BodyKind::other;
}

}  // namespace

LayerGrid::LayerGrid(const LayerFold& fold, std::uint32_t stack, LayerPhase phase)
    : stack_(stack), phase_(phase) {
  const LayerStack& made = fold.stacks[stack];
  std::vector<std::vector<std::int64_t>> works(made.passes.size());
  for (std::uint32_t i = 0; i < made.copies.size(); ++i) {
    const LayerCopy& copy = made.copies[i];
    if (copy.phase != phase) continue;
    cells_.push_back({copy.layer, copy.pass, i, copy.odd, 0});
    layers_ = std::max(layers_, copy.layer + 1);
    if (!copy.odd && copy.layer < made.layers) works[copy.pass].push_back(copy.cost.work_ns);
  }
  medians_ns_.reserve(works.size());
  for (std::vector<std::int64_t>& pass : works) medians_ns_.push_back(integer_median(std::move(pass)));
  std::ranges::stable_sort(cells_, {},
                           [](const LayerCell& cell) { return std::tuple(cell.pass, cell.layer); });
  for (LayerCell& cell : cells_) {
    const std::int64_t median_ns = medians_ns_[cell.pass];
    if (!cell.odd && median_ns > 0)
      cell.deviation = per_mille(made.copies[cell.copy].cost.work_ns, median_ns) - kMedianEffect;
  }
  by_layer_.resize(cells_.size());
  for (std::uint32_t i = 0; i < by_layer_.size(); ++i) by_layer_[i] = i;
  std::ranges::stable_sort(by_layer_, {}, [this](std::uint32_t cell) { return cells_[cell].layer; });
}

std::span<const LayerCell> LayerGrid::of_pass(std::uint32_t pass) const {
  const auto first = std::ranges::lower_bound(cells_, pass, {}, &LayerCell::pass);
  return {first, std::ranges::upper_bound(first, cells_.end(), pass, {}, &LayerCell::pass)};
}

std::span<const std::uint32_t> LayerGrid::of_layer(std::uint32_t layer) const {
  const auto layer_of = [this](std::uint32_t cell) { return cells_[cell].layer; };
  const auto first = std::ranges::lower_bound(by_layer_, layer, {}, layer_of);
  return {first, std::ranges::upper_bound(first, by_layer_.end(), layer, {}, layer_of)};
}

const LayerCell* LayerGrid::find(std::uint32_t layer, std::uint32_t pass) const {
  const std::span<const LayerCell> cells = of_pass(pass);
  const auto at = std::ranges::lower_bound(cells, layer, {}, &LayerCell::layer);
  return at != cells.end() && at->layer == layer ? &*at : nullptr;
}

std::int64_t LayerBody::length_ns() const {
  std::int64_t length_ns = 0;
  for (const BodyKernel& kernel : kernels)
    length_ns = std::max({length_ns, kernel.end_p90_ns, saturating_add(kernel.offset_ns, kernel.median_ns)});
  return length_ns;
}

LayerBody body_of(const Trace& trace, const LayerFold& fold, const LayerStack& stack,
                  std::span<const std::uint32_t> copies, const std::stop_token& stop) {
  const std::vector<const LayerCopy*> compared = comparable_copies(stack, copies);
  LayerBody body;
  body.copies = compared.size();
  if (compared.empty()) return body;
  std::vector<std::int64_t> works;
  works.reserve(compared.size());
  for (const LayerCopy* copy : compared) works.push_back(copy->cost.work_ns);
  body.work_ns = nearest_rank(works, 50);
  std::map<TrackId, std::uint32_t> lanes;
  for (std::uint32_t i = 0; i < compared.front()->count && !stop.stop_requested(); ++i) {
    BodyKernel kernel = measured_kernel(trace, fold, compared, i);
    const TrackId track = trace.track_of(fold.kernels[compared.front()->first + i]);
    kernel.lane = lanes.emplace(track, static_cast<std::uint32_t>(lanes.size())).first->second;
    body.kernels.push_back(kernel);
  }
  body.lanes = static_cast<std::uint32_t>(lanes.size());
  return body;
}

std::optional<std::size_t> most_different_kernel(const LayerBody& copy, const LayerBody& body) {
  if (copy.kernels.empty() || copy.kernels.size() != body.kernels.size()) return std::nullopt;
  const auto difference = [&](std::size_t i) {
    const std::int64_t ns = saturating_subtract(copy.kernels[i].median_ns, body.kernels[i].median_ns);
    return ns < 0 ? saturating_subtract(0, ns) : ns;
  };
  std::size_t most = 0;
  for (std::size_t i = 1; i < copy.kernels.size(); ++i) {
    if (difference(i) > difference(most)) most = i;
  }
  return most;
}

std::vector<LayerView> layer_views(const Trace& trace, const LayerFold& fold, const std::stop_token& stop) {
  std::vector<LayerView> views;
  for (std::uint32_t i = 0; i < fold.stacks.size(); ++i) {
    if (shown_stack(fold, i) != i) continue;
    LayerView& view = views.emplace_back();
    view.stack = i;
    add_grids(fold, i, view);
    for (std::uint32_t other = 0; other < fold.stacks.size(); ++other) {
      if (other != i && shown_stack(fold, other) == i) add_grids(fold, other, view);
    }
    if (stop.stop_requested()) return views;
    view.layers = figures_of(fold, view);
    view.outliers = outliers_of(fold, view);
    add_bodies(trace, fold, view, stop);
  }
  return views;
}

std::optional<std::uint32_t> matching_pass(const LayerFold& fold, const LayerGrid& from, std::uint32_t pass,
                                           const LayerGrid& to) {
  if (from.stack() == to.stack()) return pass;
  const LayerPass& wanted = fold.stacks[from.stack()].passes[pass];
  const std::vector<LayerPass>& passes = fold.stacks[to.stack()].passes;
  const auto found = std::ranges::find_if(passes, [&](const LayerPass& other) {
    return other.step == wanted.step && other.microbatch == wanted.microbatch;
  });
  if (found == passes.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - passes.begin());
}

std::vector<BodyKind> body_kinds(const Trace& trace, const LayerFold& fold, const WorkRules& rules) {
  std::vector<BodyKind> kinds(trace.names.size(), BodyKind::other);
  WorkCategories categories(trace, rules);
  std::vector<bool> known(trace.names.size());
  for (const SliceId slice : fold.kernels) {
    const auto name = index_of(trace.name(slice));
    if (known[name]) continue;
    known[name] = true;
    kinds[name] = trace.kind(slice) == SliceKind::communication
                      ? BodyKind::communication
                      : kind_of_category(rules.category_name(categories.rule_of(slice)));
  }
  return kinds;
}

}  // namespace kino
