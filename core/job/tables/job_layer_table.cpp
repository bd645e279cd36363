#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/job/tables/each_rank_tables.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/tables/layers/layer_verdict.hpp"

namespace kino {
namespace {

constexpr std::string_view kJobLayerKeys[] = {"stack", "layer"};
/// Integer columns of a rank's table that are summed.
constexpr const char* kSummedKeys[] = {"forward_ns", "backward_ns", "recompute_ns", "comm_ns",
                                       "idle_ns",    "kernels",     "bytes",        "odd"};

/// One layer on one rank.
struct RankLayer {
  std::uint32_t rank = 0;              ///< index into JobAnalysis::ranks
  std::uint32_t row = 0;               ///< in the rank's table
  std::int64_t work_ns = 0;            ///< per pass
  std::optional<std::int64_t> effect;  ///< per mille of the median layer
  bool odd = false;                    ///< at least half of its copies are odd; see LayerCopy
};

struct JobLayer {
  std::vector<RankLayer> ranks;
};

/// A stack of layers, with the ranks that have it.
struct JobStack {
  std::map<std::int64_t, JobLayer> layers;
};

std::int64_t integer_in(const Table& table, std::string_view key, std::size_t row) {
  const TableColumn* const column = table.find(key);
  if (column == nullptr) return kNoInteger;
  const auto* const values = std::get_if<TableColumn::Integers>(&column->values);
  return values == nullptr ? kNoInteger : (*values)[row];
}

std::int64_t cost_in(const Table& table, std::string_view key, std::size_t row) {
  const std::int64_t value = integer_in(table, key, row);
  return value == kNoInteger ? 0 : std::max<std::int64_t>(value, 0);
}

double number_in(const Table& table, std::string_view key, std::size_t row) {
  const TableColumn* const column = table.find(key);
  if (column == nullptr) return kNoNumber;
  const auto* const values = std::get_if<TableColumn::Numbers>(&column->values);
  return values == nullptr ? kNoNumber : (*values)[row];
}

std::string module_in(const Table& table, std::size_t row) {
  const TableColumn* const column = table.find("module");
  if (column == nullptr || !column->is_text()) return {};
  return std::get<TableColumn::Texts>(column->values)[row];
}

RankLayer layer_in(const Table& table, std::uint32_t rank, std::uint32_t row) {
  RankLayer layer;
  layer.rank = rank;
  layer.row = row;
  const std::int64_t passes = std::max<std::int64_t>(1, cost_in(table, "passes", row));
  for (const std::string_view key : {"forward_ns", "backward_ns", "recompute_ns"})
    add_saturating(layer.work_ns, cost_in(table, key, row));
  layer.work_ns /= passes;
  layer.odd = cost_in(table, "odd", row) >= (passes + 1) / 2;
  constexpr double kMostEffect = 1e15;
  const double effect = number_in(table, "effect", row);
  if (effect >= 0 && effect < kMostEffect) layer.effect = std::llround(effect * 1000);
  return layer;
}

/// Returns the stacks of the job. Stacks of two ranks are the same if their layers have the same numbers and
/// names. If a rank has several equal stacks, its n-th one is the same as the n-th one of the other ranks.
std::vector<JobStack> stacks_of(const JobAnalysis& job, const std::stop_token& stop) {
  std::vector<JobStack> stacks;
  // Index in `stacks`, by the layers of a stack and its number among the equal stacks of a rank.
  std::map<std::pair<std::string, std::size_t>, std::size_t> by_layers;
  for (std::uint32_t rank = 0; rank < job.ranks.size() && !stop.stop_requested(); ++rank) {
    const Table* const table = kept_table(*job.ranks[rank], "layers");
    if (table == nullptr) continue;
    std::map<std::int64_t, std::vector<std::uint32_t>> rows;  // by stack of the rank
    for (std::uint32_t row = 0; row < table->row_count(); ++row)
      rows[integer_in(*table, "stack", row)].push_back(row);
    std::map<std::string, std::size_t> same;
    for (const auto& [number, list] : rows) {
      std::string layers;
      for (const std::uint32_t row : list)
        layers += std::to_string(integer_in(*table, "layer", row)) + " " + module_in(*table, row) + "\n";
      const std::size_t before = same[layers]++;
      const auto [found, fresh] = by_layers.try_emplace({std::move(layers), before}, stacks.size());
      if (fresh) stacks.emplace_back();
      for (const std::uint32_t row : list) {
        stacks[found->second].layers[integer_in(*table, "layer", row)].ranks.push_back(
            layer_in(*table, rank, row));
      }
    }
  }
  return stacks;
}

/// Judges the layers of all ranks as judge_stack() judges those of all passes: each rank takes the place of a
/// pass.
LayerStack judged_stack(const JobStack& stack, std::size_t ranks) {
  LayerStack judged;
  judged.layers = static_cast<std::uint32_t>(stack.layers.size());
  judged.passes.resize(ranks);
  std::uint32_t index = 0;
  for (const auto& [number, layer] : stack.layers) {
    for (const RankLayer& on_rank : layer.ranks) {
      LayerCopy& copy = judged.copies.emplace_back();
      copy.layer = index;
      copy.pass = on_rank.rank;
      copy.odd = on_rank.odd;
      copy.cost.work_ns = on_rank.work_ns;
    }
    ++index;
  }
  judge_stack(judged);
  return judged;
}

/// Adds the notes on slow layers and ranks of a stack. Returns false if the stack has too few layers or ranks
/// to compare.
bool add_slow_ranks(std::vector<Message>& notes, const JobAnalysis& job, const JobStack& stack,
                    std::size_t number) {
  constexpr std::size_t kFewestRanks = 4;
  constexpr std::size_t kMostNamed = 5;
  if (stack.layers.size() < kFewestRanks || stack.layers.begin()->second.ranks.size() < kFewestRanks)
    return false;
  const LayerStack found = judged_stack(stack, job.ranks.size());
  const auto name_of_rank = [&](std::uint32_t rank) { return std::to_string(job.ranks[rank]->rank); };
  for (std::size_t i = 0; i < std::min(found.slow_cells.size(), kMostNamed); ++i) {
    const auto [layer, rank] = found.slow_cells[i];
    const std::int64_t shown = std::next(stack.layers.begin(), static_cast<std::ptrdiff_t>(layer))->first;
    notes.emplace_back(msg::layer_is_slow_on_rank, std::to_string(shown), std::to_string(number),
                       name_of_rank(rank));
  }
  if (found.slow_cells.size() > kMostNamed) {
    notes.emplace_back(msg::more_layers_are_slow_on_ranks,
                       std::to_string(found.slow_cells.size() - kMostNamed));
  }
  std::vector<Message> slow;
  for (std::size_t i = 0; i < std::min(found.slow_passes.size(), kMostNamed); ++i)
    slow.emplace_back(name_of_rank(found.slow_passes[i]));
  if (!slow.empty())
    notes.emplace_back(msg::ranks_are_slow_in_layers, std::to_string(number), comma_list(slow));
  return is_judged(found);
}

/// One row of the table.
struct JobLayerRow {
  std::size_t stack = 0;
  std::int64_t layer = 0;
  Message module;
  std::int64_t ranks = 0;
  std::int64_t effect = -1;  ///< per mille; -1: unknown
  std::int64_t median_ns = 0;
  std::uint32_t slowest = 0;  ///< index into JobAnalysis::ranks
  std::int64_t excess_ns = 0;
  std::map<std::string_view, std::int64_t> sums;
  double flop = 0;
};

JobLayerRow row_of(const JobAnalysis& job, std::size_t stack, std::int64_t number, const JobLayer& layer) {
  JobLayerRow row;
  row.stack = stack;
  row.layer = number;
  row.ranks = static_cast<std::int64_t>(layer.ranks.size());
  std::vector<std::int64_t> works;
  std::vector<std::int64_t> effects;
  const RankLayer* slowest = layer.ranks.data();
  for (const RankLayer& on_rank : layer.ranks) {
    works.push_back(on_rank.work_ns);
    if (on_rank.effect) effects.push_back(*on_rank.effect);
    if (on_rank.work_ns > slowest->work_ns) slowest = &on_rank;
    const Table& table = *kept_table(*job.ranks[on_rank.rank], "layers");
    const double flop = number_in(table, "flop", on_rank.row);
    if (flop > 0) row.flop += flop;
    for (const char* const key : kSummedKeys) {
      if (integer_in(table, key, on_rank.row) == kNoInteger) continue;
      add_saturating(row.sums[key], integer_in(table, key, on_rank.row));
    }
  }
  const Table& first = *kept_table(*job.ranks[layer.ranks.front().rank], "layers");
  if (const TableColumn* const module = first.find("module")) {
    const std::uint32_t at = layer.ranks.front().row;
    row.module = at < module->words.size() ? module->words[at] : Message(module_in(first, at));
  }
  if (!effects.empty()) row.effect = integer_median(std::move(effects));
  row.median_ns = integer_median(std::move(works));
  row.slowest = slowest->rank;
  row.excess_ns = slowest->work_ns - row.median_ns;
  return row;
}

void add_layer_costs(Table& table, const std::vector<JobLayerRow>& rows) {
  const auto sum = [&](const char* key, msg::Id title, Unit unit, msg::Id about) {
    table.integers_of(rows, key, title, unit, about, [key](const JobLayerRow& row) {
      const auto found = row.sums.find(key);
      return found == row.sums.end() ? kNoInteger : found->second;
    });
  };
  sum(kSummedKeys[0], msg::forward_pass, Unit::ns, msg::kernels_of_the_forward_pass_summed);
  sum(kSummedKeys[1], msg::backward_pass, Unit::ns, msg::kernels_of_the_backward_pass_summed);
  sum(kSummedKeys[2], msg::recomputed, Unit::ns, msg::kernels_of_recomputation_summed);
  sum(kSummedKeys[3], msg::communication, Unit::ns, msg::collectives_launched_within_the_layer);
  sum(kSummedKeys[4], msg::idle, Unit::ns, msg::idle_time_between_first_and_last_kernel);
  sum(kSummedKeys[5], msg::kernels, Unit::count, msg::kernels_without_collectives);
  table.number_column(rows, "flop", msg::flop, Unit::flop, msg::flop_of_counted_operators_in_the_layer,
                      [](const JobLayerRow& row) { return row.flop > 0 ? row.flop : kNoNumber; });
  sum(kSummedKeys[6], msg::kept_memory, Unit::bytes, msg::bytes_allocated_and_not_freed_in_the_layer);
  sum(kSummedKeys[7], msg::odd_copies, Unit::count, msg::copies_with_other_kernels_than_most);
}

Table job_layer_table(const JobScope& scope, const TableQuery& /*query*/, const std::stop_token& stop) {
  const JobAnalysis& job = scope.analysis;
  Table table = titled_table(kJobLayerTable, msg::job_layers_definition);
  std::vector<JobLayerRow> rows;
  const std::vector<JobStack> stacks = stacks_of(job, stop);
  bool compared = false;
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    for (const auto& [number, layer] : stacks[i].layers) rows.push_back(row_of(job, i, number, layer));
    compared = add_slow_ranks(table.notes, job, stacks[i], i) || compared;
  }
  if (compared && table.notes.empty()) table.notes.emplace_back(msg::no_layer_stands_out);
  if (Message note = missing_details_note(job.ranks); !note.empty()) table.notes.push_back(std::move(note));
  table.integers_of(rows, "stack", msg::stack_of_layers, Unit::id, msg::number_of_the_stack,
                    [](const JobLayerRow& row) { return row.stack; });
  table.integers_of(rows, "layer", msg::layer, Unit::id, msg::index_of_the_layer, &JobLayerRow::layer);
  table.text_column(rows, "module", msg::module, msg::module_or_annotation_of_the_layer,
                    [](const JobLayerRow& row) { return row.module; });
  table.integers_of(rows, "ranks", msg::ranks, Unit::count, msg::job_layers_ranks_about, &JobLayerRow::ranks);
  table.number_column(rows, "effect", msg::relative_time, Unit::share, msg::job_layers_effect_about,
                      [](const JobLayerRow& row) {
                        return row.effect < 0 ? kNoNumber : static_cast<double>(row.effect) / 1000;
                      });
  table.integers_of(rows, "median_ns", msg::median, Unit::ns, msg::job_layers_median_about,
                    &JobLayerRow::median_ns);
  table.integers_of(rows, "slowest_rank", msg::job_layers_slowest, Unit::id, msg::job_layers_slowest_about,
                    [&](const JobLayerRow& row) { return known_or_none(job.ranks[row.slowest]->rank); });
  table.integers_of(rows, "excess_ns", msg::job_layers_excess, Unit::ns, msg::job_layers_excess_about,
                    &JobLayerRow::excess_ns);
  add_layer_costs(table, rows);
  for (const JobLayerRow& row : rows) table.links.push_back(RowLink::to_recording(row.slowest));
  return table;
}

}  // namespace

constexpr TableKind<JobScope> kJobLayerTable{
    {.name = "layers", .title = msg::layers, .about = msg::about_job_layers, .keys = kJobLayerKeys},
    &job_layer_table};

}  // namespace kino
