#include "core/tables/layers/layer_table.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/layers/layer_verdict.hpp"

namespace kino {

std::uint32_t shown_stack(const LayerFold& fold, std::uint32_t stack) {
  const LayerStack& made = fold.stacks[stack];
  return made.forward_stack && made.layers_per_copy == 1 ? *made.forward_stack : stack;
}

Message module_of(const LayerStack& stack, std::uint32_t layer) {
  if (layer < stack.layer_names.size()) return stack.layer_names[layer];
  if (stack.alike) return {msg::alike_part, std::to_string(layer)};
  if (stack.layers_per_copy > 1) {
    const std::uint64_t first = std::uint64_t{layer} * stack.layers_per_copy;
    return {msg::layers_from_to, std::to_string(first), std::to_string(first + stack.layers_per_copy - 1)};
  }
  return {};
}

Message stack_label(const LayerStack& stack) {
  if (!stack.module_class.empty()) return stack.container + "." + stack.module_class;
  if (!stack.container.empty()) return stack.container;
  const msg::Id phase = stack.backward ? msg::backward : msg::forward;
  return stack.alike ? Message(msg::alike_parts_of, Message(phase)) : Message(phase);
}

msg::Id source_name(LayerSource source) {
  switch (source) {
    case LayerSource::modules:
      return msg::source_modules;
    case LayerSource::annotations:
      return msg::source_annotations;
    case LayerSource::alike:
      return msg::source_alike;
    case LayerSource::none:
    case LayerSource::names:
      break;
  }
  return msg::source_kernel_names;
}

namespace {

/// Summed costs of the copies of one row.
struct LayerSums {
  std::array<std::int64_t, kLayerPhases> work_ns{};
  std::int64_t communication_ns = 0;
  std::int64_t idle_ns = 0;
  std::uint64_t kernels = 0;
  double flop = 0;
  std::optional<std::int64_t> kept_bytes;
  std::uint64_t odd = 0;
  SliceId first = kNoSlice;

  void add(const LayerFold& fold, const LayerCopy& copy) {
    add_saturating(work_ns[static_cast<std::size_t>(copy.phase)], copy.cost.work_ns);
    add_saturating(communication_ns, copy.cost.communication_ns);
    add_saturating(idle_ns, copy.cost.idle_ns);
    kernels += copy.cost.kernels;
    flop += copy.cost.flop;
    if (copy.cost.kept_bytes) kept_bytes = saturating_add(kept_bytes.value_or(0), *copy.cost.kept_bytes);
    odd += copy.odd ? 1 : 0;
    if (first == kNoSlice) first = copy.call != kNoSlice ? copy.call : fold.kernels[copy.first];
  }
};

struct LayerRow {
  std::uint32_t stack = 0;
  std::uint32_t layer = 0;
  std::uint32_t pass = 0;
  Message module;
  std::optional<std::int64_t> effect;
  std::string step;
  LayerSums sums;
  std::uint64_t passes = 0;
};

std::string step_of(const LayerStack& stack, std::uint32_t pass) {
  const std::optional<std::int64_t> step = stack.passes[pass].step;
  return step ? std::to_string(*step) : std::string();
}

/// Returns one row per stack and key of its copies, sorted by both. `key_of` returns two numbers.
template <class Key>
std::vector<LayerRow> summed_rows(const LayerFold& fold, const Key& key_of) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, LayerRow> rows;
  for (std::uint32_t i = 0; i < fold.stacks.size(); ++i) {
    const LayerStack& stack = fold.stacks[i];
    const std::uint32_t shown = shown_stack(fold, i);
    for (const LayerCopy& copy : stack.copies) {
      const auto [first, second] = key_of(copy);
      LayerRow& row = rows[{shown, first, second}];
      row.stack = shown;
      row.layer = copy.layer;
      row.pass = copy.pass;
      row.sums.add(fold, copy);
    }
  }
  std::vector<LayerRow> list;
  list.reserve(rows.size());
  for (auto& [key, row] : rows) list.push_back(std::move(row));
  return list;
}

std::vector<LayerRow> layer_rows(const LayerFold& fold) {
  std::vector<LayerRow> rows =
      summed_rows(fold, [](const LayerCopy& copy) { return std::pair(copy.layer, std::uint32_t{0}); });
  for (LayerRow& row : rows) {
    const LayerStack& stack = fold.stacks[row.stack];
    row.module = module_of(stack, row.layer);
    if (row.layer < stack.effects.size()) row.effect = stack.effects[row.layer];
    row.passes = stack.passes.size();
  }
  return rows;
}

std::vector<LayerRow> pass_rows(const LayerFold& fold) {
  std::vector<LayerRow> rows =
      summed_rows(fold, [](const LayerCopy& copy) { return std::pair(copy.pass, std::uint32_t{0}); });
  for (LayerRow& row : rows) {
    const LayerStack& stack = fold.stacks[row.stack];
    row.step = row.pass < stack.passes.size() ? step_of(stack, row.pass) : std::string();
  }
  return rows;
}

std::vector<LayerRow> cell_rows(const LayerFold& fold) {
  std::vector<LayerRow> rows =
      summed_rows(fold, [](const LayerCopy& copy) { return std::pair(copy.pass, copy.layer); });
  for (LayerRow& row : rows) {
    const LayerStack& stack = fold.stacks[row.stack];
    row.module = module_of(stack, row.layer);
    row.step = row.pass < stack.passes.size() ? step_of(stack, row.pass) : std::string();
  }
  return rows;
}

void add_cost_columns(Table& table, const std::vector<LayerRow>& rows) {
  const auto phase_ns = [](LayerPhase phase) {
    return [phase](const LayerRow& row) { return row.sums.work_ns[static_cast<std::size_t>(phase)]; };
  };
  table.integers_of(rows, "forward_ns", msg::forward_pass, Unit::ns, msg::kernels_of_the_forward_pass_summed,
                    phase_ns(LayerPhase::forward));
  table.integers_of(rows, "backward_ns", msg::backward_pass, Unit::ns,
                    msg::kernels_of_the_backward_pass_summed, phase_ns(LayerPhase::backward));
  table.integers_of(rows, "recompute_ns", msg::recomputed, Unit::ns, msg::kernels_of_recomputation_summed,
                    phase_ns(LayerPhase::recompute));
  table.integers_of(rows, "comm_ns", msg::communication, Unit::ns, msg::collectives_launched_within_the_layer,
                    [](const LayerRow& row) { return row.sums.communication_ns; });
  table.integers_of(rows, "idle_ns", msg::idle, Unit::ns, msg::idle_time_between_first_and_last_kernel,
                    [](const LayerRow& row) { return row.sums.idle_ns; });
  table.integers_of(rows, "kernels", msg::kernels, Unit::count, msg::kernels_without_collectives,
                    [](const LayerRow& row) { return row.sums.kernels; });
  table.number_column(rows, "flop", msg::flop, Unit::flop, msg::flop_of_counted_operators_in_the_layer,
                      [](const LayerRow& row) { return row.sums.flop > 0 ? row.sums.flop : kNoNumber; });
  table.integers_of(rows, "bytes", msg::kept_memory, Unit::bytes,
                    msg::bytes_allocated_and_not_freed_in_the_layer,
                    [](const LayerRow& row) { return row.sums.kept_bytes.value_or(kNoInteger); });
  table.integers_of(rows, "odd", msg::odd_copies, Unit::count, msg::copies_with_other_kernels_than_most,
                    [](const LayerRow& row) { return row.sums.odd; });
}

void add_links(Table& table, const std::vector<LayerRow>& rows) {
  for (const LayerRow& row : rows) table.links.emplace_back(row.sums.first);
}

void add_stack_column(Table& table, const std::vector<LayerRow>& rows) {
  table.integers_of(rows, "stack", msg::stack_of_layers, Unit::id, msg::number_of_the_stack,
                    [](const LayerRow& row) { return row.stack; });
}

void fill_by_layer(Table& table, const LayerFold& fold) {
  table.definition = fold.source == LayerSource::alike ? msg::one_row_per_alike_part : msg::one_row_per_layer;
  const std::vector<LayerRow> rows = layer_rows(fold);
  add_stack_column(table, rows);
  table.integers_of(rows, "layer", msg::layer, Unit::id, msg::index_of_the_layer,
                    [](const LayerRow& row) { return row.layer; });
  table.text_column(rows, "module", msg::module, msg::module_or_annotation_of_the_layer,
                    [](const LayerRow& row) { return row.module; });
  table.number_column(
      rows, "effect", msg::relative_time, Unit::share, msg::median_over_passes_of_the_time,
      [](const LayerRow& row) { return row.effect ? static_cast<double>(*row.effect) / 1000 : kNoNumber; });
  add_cost_columns(table, rows);
  table.integers_of(rows, "passes", msg::passes_of_layers, Unit::count, msg::passes_through_the_stack,
                    [](const LayerRow& row) { return row.passes; });
  add_links(table, rows);
}

void fill_by_pass(Table& table, const LayerFold& fold) {
  table.definition = msg::one_row_per_pass;
  const std::vector<LayerRow> rows = pass_rows(fold);
  add_stack_column(table, rows);
  table.integers_of(rows, "pass", msg::pass_of_layers, Unit::id, msg::index_of_the_pass,
                    [](const LayerRow& row) { return row.pass; });
  table.texts_of(rows, "step", msg::step, msg::step_that_launched_the_pass,
                 [](const LayerRow& row) { return row.step; });
  add_cost_columns(table, rows);
  add_links(table, rows);
}

void fill_by_cell(Table& table, const LayerFold& fold) {
  table.definition = msg::one_row_per_layer_and_pass;
  const std::vector<LayerRow> rows = cell_rows(fold);
  add_stack_column(table, rows);
  table.integers_of(rows, "pass", msg::pass_of_layers, Unit::id, msg::index_of_the_pass,
                    [](const LayerRow& row) { return row.pass; });
  table.integers_of(rows, "layer", msg::layer, Unit::id, msg::index_of_the_layer,
                    [](const LayerRow& row) { return row.layer; });
  table.texts_of(rows, "step", msg::step, msg::step_that_launched_the_pass,
                 [](const LayerRow& row) { return row.step; });
  table.text_column(rows, "module", msg::module, msg::module_or_annotation_of_the_layer,
                    [](const LayerRow& row) { return row.module; });
  add_cost_columns(table, rows);
  add_links(table, rows);
}

/// One kernel of the body of a stack, with its durations in all copies that are not odd.
struct BodyRow {
  std::uint32_t stack = 0;
  std::uint32_t index = 0;
  LayerPhase phase = LayerPhase::forward;
  NameId name{};
  std::vector<std::int64_t> durations_ns;
  SliceId longest = kNoSlice;
};

std::vector<BodyRow> body_rows(const Trace& trace, const LayerFold& fold) {
  std::vector<BodyRow> rows;
  for (std::uint32_t i = 0; i < fold.stacks.size(); ++i) {
    std::array<std::vector<BodyRow>, kLayerPhases> bodies;
    for (const LayerCopy& copy : fold.stacks[i].copies) {
      if (copy.odd) continue;
      std::vector<BodyRow>& body = bodies[static_cast<std::size_t>(copy.phase)];
      for (std::uint32_t k = 0; k < copy.count; ++k) {
        const SliceId slice = fold.kernels[copy.first + k];
        if (k >= body.size()) body.push_back({i, k, copy.phase, trace.name(slice), {}, slice});
        body[k].durations_ns.push_back(trace.duration_ns(slice));
        if (trace.duration_ns(slice) > trace.duration_ns(body[k].longest)) body[k].longest = slice;
      }
    }
    for (std::vector<BodyRow>& body : bodies) std::ranges::move(body, std::back_inserter(rows));
  }
  for (BodyRow& row : rows) std::ranges::sort(row.durations_ns);
  return rows;
}

void fill_by_kernel(Table& table, const Trace& trace, const LayerFold& fold) {
  table.definition = msg::one_row_per_kernel_of_the_body;
  const std::vector<BodyRow> rows = body_rows(trace, fold);
  table.integers_of(rows, "stack", msg::stack_of_layers, Unit::id, msg::number_of_the_stack, &BodyRow::stack);
  table.text_column(
      rows, "phase", msg::phase, msg::forward_backward_or_recompute, [](const BodyRow& row) -> Message {
        constexpr std::array<msg::Id, kLayerPhases> kPhases{msg::forward, msg::backward, msg::recompute};
        return kPhases[static_cast<std::size_t>(row.phase)];
      });
  table.integers_of(rows, "index", msg::gap_position, Unit::id, msg::position_of_the_kernel_in_the_layer,
                    &BodyRow::index);
  table.texts_of(rows, "name", msg::kernel, msg::name_of_the_kernel,
                 [&](const BodyRow& row) { return std::string(trace.name_text(row.name)); });
  table.integers_of(rows, "count", msg::count, Unit::count, msg::copies_that_were_compared,
                    [](const BodyRow& row) { return row.durations_ns.size(); });
  const auto rank = [](std::size_t percent) {
    return [percent](const BodyRow& row) {
      const std::size_t size = row.durations_ns.size();
      return row.durations_ns[(size * percent + 99) / 100 - 1];
    };
  };
  table.integers_of(rows, "p10_ns", msg::p10, Unit::ns, msg::tenth_percentile_of_the_durations, rank(10));
  table.integers_of(rows, "median_ns", msg::median, Unit::ns, msg::median_of_the_durations, rank(50));
  table.integers_of(rows, "p90_ns", msg::p90, Unit::ns, msg::ninetieth_percentile_of_the_durations, rank(90));
  for (const BodyRow& row : rows) table.links.emplace_back(row.longest);
}

void fill_by_stack(Table& table, const LayerFold& fold) {
  table.definition = msg::one_row_per_stack;
  const std::vector<LayerStack>& stacks = fold.stacks;
  TableColumn::Integers& numbers =
      table.add_integers("stack", msg::stack_of_layers, Unit::id, msg::number_of_the_stack);
  for (std::size_t i = 0; i < stacks.size(); ++i) numbers.push_back(static_cast<std::int64_t>(i));
  table.texts_of(stacks, "module", msg::module, msg::class_of_the_layers, &LayerStack::module_class);
  table.texts_of(stacks, "container", msg::container_of_layers, msg::module_that_contains_the_layers,
                 &LayerStack::container);
  table.text_column(
      stacks, "phase", msg::phase, msg::forward_backward_or_recompute,
      [](const LayerStack& stack) -> Message { return stack.backward ? msg::backward : msg::forward; });
  table.integers_of(stacks, "layers", msg::layers, Unit::count, msg::most_common_number_of_copies_per_pass,
                    &LayerStack::layers);
  table.integers_of(stacks, "passes", msg::passes_of_layers, Unit::count, msg::passes_through_the_stack,
                    [](const LayerStack& stack) { return stack.passes.size(); });
  table.integers_of(stacks, "copies", msg::copies_of_layers, Unit::count, msg::executions_of_layers,
                    [](const LayerStack& stack) { return stack.copies.size(); });
  table.integers_of(stacks, "odd", msg::odd_copies, Unit::count, msg::copies_with_other_kernels_than_most,
                    &LayerStack::odd_copies);
  table.integers_of(stacks, "kernels", msg::kernels, Unit::count, msg::kernels_in_the_body,
                    &LayerStack::body_kernels);
  table.integers_of(stacks, "attention_kernels", msg::attention_kernels, Unit::count,
                    msg::attention_kernels_in_the_body, &LayerStack::body_attention);
  table.integers_of(stacks, "total_ns", msg::total, Unit::ns, msg::summed_kernels_of_all_copies,
                    &LayerStack::work_ns);
  table.number_column(stacks, "share", msg::share_of_gpu_time, Unit::share,
                      msg::share_of_the_time_that_could_be_in_layers, [&](const LayerStack& stack) {
                        return fold.total_ns > 0
                                   ? static_cast<double>(stack.work_ns) / static_cast<double>(fold.total_ns)
                                   : kNoNumber;
                      });
  for (const LayerStack& stack : stacks)
    table.links.emplace_back(stack.copies.empty() ? kNoSlice : fold.kernels[stack.copies.front().first]);
}

Message percent_above(std::int64_t per_mille) {
  return formatted("%.0f %%", static_cast<double>(per_mille - 1000) / 10);
}

constexpr std::size_t kMostNamed = 5;

/// Adds notes on the slow layers of a stack: a sentence on the slowest, and a list of the next four.
void add_slow_layers(std::vector<Message>& notes, const LayerStack& stack) {
  if (stack.slow_layers.empty()) return;
  std::vector<std::uint32_t> slowest = stack.slow_layers;
  std::ranges::stable_sort(slowest, std::greater<>(),
                           [&](std::uint32_t layer) { return stack.effects[layer].value_or(0); });
  const auto excess = [&](std::uint32_t layer) { return percent_above(*stack.effects[layer]); };
  const Message number = std::to_string(slowest.front());
  if (stack.passes.size() == 1) {
    notes.emplace_back(stack.alike ? msg::part_is_slow_in_the_only_pass : msg::layer_is_slow_in_the_only_pass,
                       number, stack_label(stack), excess(slowest.front()));
  } else {
    notes.emplace_back(stack.alike ? msg::part_is_slow : msg::layer_is_slow, number, stack_label(stack),
                       excess(slowest.front()), std::to_string(stack.passes.size()));
  }
  std::vector<Message> further;
  for (std::size_t i = 1; i < std::min(slowest.size(), kMostNamed); ++i)
    further.emplace_back(msg::slow_by_excess, std::to_string(slowest[i]), excess(slowest[i]));
  if (!further.empty()) {
    notes.emplace_back(stack.alike ? msg::further_parts_are_slow : msg::further_layers_are_slow,
                       stack_label(stack), comma_list(further));
  }
  if (slowest.size() > kMostNamed) {
    notes.emplace_back(stack.alike ? msg::more_parts_are_slow : msg::more_layers_are_slow,
                       std::to_string(slowest.size() - kMostNamed));
  }
}

/// Adds notes on the layers of a stack that are slow in one pass, with at most five names.
void add_slow_cells(std::vector<Message>& notes, const LayerStack& stack) {
  if (stack.slow_cells.size() == 1) {
    const auto [layer, pass] = stack.slow_cells.front();
    notes.emplace_back(stack.alike ? msg::part_is_slow_once : msg::copy_is_slow, std::to_string(layer),
                       stack_label(stack), std::to_string(pass));
  } else if (!stack.slow_cells.empty()) {
    std::vector<Message> cells;
    for (std::size_t i = 0; i < std::min(stack.slow_cells.size(), kMostNamed); ++i) {
      const auto [layer, pass] = stack.slow_cells[i];
      cells.emplace_back(msg::slow_in_pass, std::to_string(layer), std::to_string(pass));
    }
    notes.emplace_back(stack.alike ? msg::parts_are_slow_once : msg::copies_are_slow, stack_label(stack),
                       comma_list(cells));
  }
  if (stack.slow_cells.size() > kMostNamed) {
    notes.emplace_back(stack.alike ? msg::more_parts_are_slow_once : msg::more_copies_are_slow,
                       std::to_string(stack.slow_cells.size() - kMostNamed));
  }
}

/// Adds notes on the slow layers, cells and passes of a stack.
void add_slow(std::vector<Message>& notes, const LayerStack& stack) {
  add_slow_layers(notes, stack);
  add_slow_cells(notes, stack);
  if (!stack.slow_passes.empty()) {
    std::vector<Message> passes;
    for (std::size_t i = 0; i < std::min(stack.slow_passes.size(), kMostNamed); ++i)
      passes.emplace_back(std::to_string(stack.slow_passes[i]));
    notes.emplace_back(msg::passes_are_slow, stack_label(stack), comma_list(passes));
  }
}

/// Returns stack_label(), with the sizes of the stack if another major stack has the same label.
Message distinct_label(const LayerFold& fold, const LayerStack& stack) {
  Message label = stack_label(stack);
  const auto same = std::ranges::count_if(fold.stacks, [&](const LayerStack& other) {
    return !other.minor && stack_label(other).str() == label.str();
  });
  if (same < 2) return label;
  return {msg::stack_with_sizes, label, grouped(stack.layers), grouped(stack.passes.size())};
}

}  // namespace

std::vector<Message> layer_verdict(const LayerFold& fold) {
  std::vector<Message> notes;
  bool judged = false;
  for (const LayerStack& stack : fold.stacks) {
    add_slow(notes, stack);
    judged = judged || is_judged(stack);
  }
  const bool alike = fold.source == LayerSource::alike;
  if (notes.empty() && judged)
    notes.emplace_back(alike ? msg::no_alike_part_stands_out : msg::no_layer_stands_out);
  return notes;
}

std::vector<Message> fold_notes(const FoldedTrace& folded, std::optional<std::uint32_t> only) {
  std::vector<Message> notes;
  const LayerFold& fold = folded.fold;
  for (std::uint32_t i = 0; i < fold.stacks.size(); ++i) {
    const LayerStack& stack = fold.stacks[i];
    if (only ? *only != i : stack.minor) continue;
    const Message copies = grouped(stack.copies.size());
    if (stack.alike) {
      notes.emplace_back(msg::parts_were_folded, stack_label(stack), grouped(stack.layers),
                         grouped(stack.passes.size()), copies, grouped(stack.odd_copies()));
      continue;
    }
    notes.emplace_back(msg::stack_was_folded, stack_label(stack), grouped(stack.layers),
                       grouped(stack.passes.size()), source_name(fold.source), copies,
                       grouped(stack.odd_copies()));
    if (stack.layers_per_copy > 1)
      notes.emplace_back(msg::each_copy_holds_layers, stack_label(stack), grouped(stack.layers_per_copy));
    if (stack.body_attention > 1)
      notes.emplace_back(msg::body_has_attention_kernels, stack_label(stack), grouped(stack.body_attention));
    if (stack.slack != 0) {
      notes.emplace_back(msg::borders_may_be_off, distinct_label(fold, stack),
                         std::to_string(stack.slack < 0 ? -stack.slack : stack.slack));
    }
  }
  if (fold.total_ns > 0) {
    const double share = static_cast<double>(fold.placed_ns) / static_cast<double>(fold.total_ns);
    const bool alike = fold.source == LayerSource::alike;
    notes.emplace_back(alike ? msg::share_of_time_in_alike_parts : msg::share_of_time_in_layers,
                       text_from_share(share));
  }
  if (fold.rung == NameRung::short_name) notes.emplace_back(msg::names_without_details_were_compared);
  if (fold.rung == NameRung::family) notes.emplace_back(msg::families_of_names_were_compared);
  for (const OtherSource& other : folded.others) {
    if (other.layers != 0)
      notes.emplace_back(msg::another_source_finds_layers, source_name(other.source), grouped(other.layers));
    if (other.backward_layers != 0 && other.backward_layers != other.layers) {
      notes.emplace_back(msg::another_source_finds_backward_copies, source_name(other.source),
                         grouped(other.backward_layers));
    }
  }
  if (fold.operators) notes.emplace_back(msg::operators_take_the_place_of_kernels);
  return notes;
}

msg::Id nothing_found(LayerSource wanted) {
  return wanted == LayerSource::alike ? msg::nothing_is_alike : msg::nothing_repeats_three_times;
}

Table layer_table(const Trace& trace, const FoldedTrace& folded, LayerGrouping grouping) {
  Table table;
  switch (grouping) {
    case LayerGrouping::layer:
      fill_by_layer(table, folded.fold);
      break;
    case LayerGrouping::pass:
      fill_by_pass(table, folded.fold);
      break;
    case LayerGrouping::cell:
      fill_by_cell(table, folded.fold);
      break;
    case LayerGrouping::kernel:
      fill_by_kernel(table, trace, folded.fold);
      break;
    case LayerGrouping::stack:
      fill_by_stack(table, folded.fold);
      break;
  }
  if (folded.fold.stacks.empty()) {
    table.notes.emplace_back(nothing_found(folded.wanted));
    return table;
  }
  table.notes = layer_verdict(folded.fold);
  std::ranges::move(fold_notes(folded), std::back_inserter(table.notes));
  return table;
}

namespace {

constexpr std::string_view kLayerKeys[] = {"stack", "layer"};
constexpr std::string_view kPassKeys[] = {"stack", "pass"};
constexpr std::string_view kCellKeys[] = {"stack", "pass", "layer"};
constexpr std::string_view kBodyKeys[] = {"stack", "phase", "index"};
constexpr std::string_view kStackKeys[] = {"stack"};
constexpr TableGroup kLayerGroups[] = {{"layer", msg::by_layer, kLayerKeys},
                                       {"pass", msg::by_pass, kPassKeys},
                                       {"cell", msg::by_layer_and_pass, kCellKeys},
                                       {"kernel", msg::by_kernel_of_the_body, kBodyKeys},
                                       {"stack", msg::by_stack_of_layers, kStackKeys},
                                       {"modules", msg::by_layer_from_modules, kLayerKeys},
                                       {"annotations", msg::by_layer_from_annotations, kLayerKeys},
                                       {"names", msg::by_layer_from_kernel_names, kLayerKeys},
                                       {"alike", msg::by_alike_part, kLayerKeys}};
constexpr std::size_t kFirstSourceGroup = 5;

}  // namespace

constexpr TableKind<OperatorParts> kLayerTable{
    {.name = "layers",
     .title = msg::layers,
     .heading = msg::gpu,
     .about = msg::about_layers,
     .groups = kLayerGroups},
    [](const OperatorParts& parts, const TableQuery& query, const std::stop_token& stop) -> Table {
      constexpr std::array kSources{LayerSource::modules, LayerSource::annotations, LayerSource::names,
                                    LayerSource::alike};
      const bool chosen = query.group >= kFirstSourceGroup;
      const LayerSource source = chosen ? kSources[query.group - kFirstSourceGroup] : LayerSource::none;
      const auto grouping = chosen ? LayerGrouping::layer : static_cast<LayerGrouping>(query.group);
      return layer_table(parts.trace(), fold_layers(parts, source, stop), grouping);
    }};

}  // namespace kino
