#include "core/tables/compare/comparison_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/compare/layer_changes.hpp"
#include "core/tables/layers/layer_table.hpp"

namespace kino {
namespace {

std::int64_t rounded(double ns) { return std::isnan(ns) ? kNoInteger : std::llround(ns); }

std::int64_t mean_ns(std::int64_t sum, std::size_t steps) {
  return steps == 0 ? kNoInteger : rounded(static_cast<double>(sum) / static_cast<double>(steps));
}

double per_step(std::int64_t count, std::size_t steps) {
  return steps == 0 ? kNoNumber : static_cast<double>(count) / static_cast<double>(steps);
}

/// Returns the change as a share of A's mean; kNoNumber if A's sum is not positive.
double share_of(std::int64_t sum_a, std::size_t steps_a, double change_ns) {
  return sum_a <= 0 ? kNoNumber : change_ns / (static_cast<double>(sum_a) / static_cast<double>(steps_a));
}

/// Returns "4.52 4.41 4.6".
std::string steps_text(const std::vector<std::int64_t>& ns) {
  constexpr double kNsPerMs = 1e6;
  std::string text;
  for (const std::int64_t value : ns) {
    text.append(text.empty() ? "" : " ").append(formatted("%.4g", static_cast<double>(value) / kNsPerMs));
  }
  return text;
}

Table begin_table(const TableInfo& kind, msg::Id definition) {
  return {.name = std::string(kind.name), .title = kind.title, .definition = definition};
}

/// Adds columns with the means of A and B and their change. `sums_of` returns the object of a row that has
/// the members sum_a, sum_b and change.
template <class Rows, class SumsOf>
void add_means(Table& table, const RunComparison& comparison, const Rows& rows, SumsOf sums_of) {
  const std::size_t steps_a = comparison.steps_a.size();
  const std::size_t steps_b = comparison.steps_b.size();
  table.integers_of(rows, "a_ns", msg::a, Unit::ns, msg::mean_per_step,
                    [&](const auto& row) { return mean_ns(sums_of(row).sum_a, steps_a); });
  table.integers_of(rows, "b_ns", msg::b, Unit::ns, msg::mean_per_step,
                    [&](const auto& row) { return mean_ns(sums_of(row).sum_b, steps_b); });
  table.integers_of(rows, "change_ns", msg::change, Unit::ns, msg::b_minus_a_per_step,
                    [&](const auto& row) { return rounded(mean_change(comparison, sums_of(row).change)); });
  table.number_column(rows, "change_share", msg::change_of_a, Unit::share, msg::change_share_of_a,
                      [&](const auto& row) {
                        const auto& sums = sums_of(row);
                        return share_of(sums.sum_a, steps_a, mean_change(comparison, sums.change));
                      });
}

Table change_table(const RunComparison& comparison, std::optional<TimeCategory> cause) {
  Table table = begin_table(kChangeTable, msg::changes_definition);
  const std::vector<std::uint32_t> rows = rows_of_cause(comparison, cause);
  const std::size_t steps_a = comparison.steps_a.size();
  const std::size_t steps_b = comparison.steps_b.size();
  const auto row = [&](std::uint32_t i) -> const ComparedRow& { return comparison.rows[i]; };
  table.texts_of(rows, "name", msg::name, msg::key_of_both_runs, [&](std::uint32_t i) { return row(i).key; });
  table.text_column(rows, "status", msg::status, msg::same_if_noise,
                    [&](std::uint32_t i) { return text_of(row(i).status); });
  table.texts_of(rows, "cause", msg::cause, msg::location_in_step,
                 [&](std::uint32_t i) { return std::string(text_of(row(i).cause)); });
  add_means(table, comparison, rows, row);
  table.number_column(rows, "count_a", msg::a_count, Unit::number, msg::average_starts_per_step,
                      [&](std::uint32_t i) { return per_step(row(i).count_a, steps_a); });
  table.number_column(rows, "count_b", msg::b_count, Unit::number, msg::average_starts_per_step,
                      [&](std::uint32_t i) { return per_step(row(i).count_b, steps_b); });
  table.integers_of(rows, "count_effect_ns", msg::by_count, Unit::ns, msg::count_effect_meaning,
                    [&](std::uint32_t i) { return rounded(mean_change(comparison, row(i).count_effect)); });
  table.integers_of(rows, "speed_effect_ns", msg::by_speed, Unit::ns, msg::the_rest_of_the_change,
                    [&](std::uint32_t i) { return rounded(mean_change(comparison, row(i).speed_effect())); });
  if (std::max(steps_a, steps_b) <= kMaxStepsRows) {
    table.texts_of(rows, "steps", msg::step_by_step, msg::ms_per_step, [&](std::uint32_t i) {
      return steps_text(dense_ns(row(i).cells_a, steps_a)) + " | " +
             steps_text(dense_ns(row(i).cells_b, steps_b));
    });
  }
  table.number_column(rows, "p", "p", Unit::number, msg::p_of_u_test_per_row,
                      [&](std::uint32_t i) { return row(i).p; });
  table.number_column(rows, "q", "q", Unit::number, msg::q_meaning,
                      [&](std::uint32_t i) { return row(i).q; });
  return table;
}

Table cause_table(const RunComparison& comparison) {
  Table table = begin_table(kCauseTable, msg::causes_definition);
  const std::vector<ComparedCause> rows = comparison.fine_causes();
  table.texts_of(rows, "cause", msg::cause, msg::state_at_those_moments,
                 [](const ComparedCause& row) { return text_of(row); });
  add_means(table, comparison, rows, std::identity());
  table.number_column(rows, "p", "p", Unit::number, msg::p_of_u_test_per_row, &ComparedCause::p);
  return table;
}

Table ledger_change_table(const RunComparison& comparison) {
  Table table = begin_table(kLedgerChangeTable, msg::ledger_changes_definition);
  const std::vector<ComparedLedgerRow>& rows = comparison.ledger;
  table.texts_of(rows, "cause", msg::cause, msg::ledger_cause_about,
                 [](const ComparedLedgerRow& row) { return std::string(text_of(row.row)); });
  add_means(table, comparison, rows, std::identity());
  table.number_column(rows, "p", "p", Unit::number, msg::p_of_u_test_per_row, &ComparedLedgerRow::p);
  if (rows.empty()) table.notes.emplace_back(msg::ledger_not_in_both_runs);
  return table;
}

void add_phase_columns(Table& table, const std::vector<LayerChange>& rows) {
  struct Column {
    const char* key;
    msg::Id title;
    msg::Id about;
    LayerPhase phase;
    RunLayer LayerChange::*side;
  };
  constexpr auto kForward = LayerPhase::forward;
  constexpr auto kBackward = LayerPhase::backward;
  constexpr auto kRecompute = LayerPhase::recompute;
  constexpr auto kA = &LayerChange::a;
  constexpr auto kB = &LayerChange::b;
  constexpr std::array kColumns{
      Column{"forward_a_ns", msg::a_forward, msg::median_of_the_forward_pass, kForward, kA},
      Column{"forward_b_ns", msg::b_forward, msg::median_of_the_forward_pass, kForward, kB},
      Column{"backward_a_ns", msg::a_backward, msg::median_of_the_backward_pass, kBackward, kA},
      Column{"backward_b_ns", msg::b_backward, msg::median_of_the_backward_pass, kBackward, kB},
      Column{"recompute_a_ns", msg::a_recompute, msg::median_of_recomputation, kRecompute, kA},
      Column{"recompute_b_ns", msg::b_recompute, msg::median_of_recomputation, kRecompute, kB}};
  for (const Column& column : kColumns) {
    table.integers_of(rows, column.key, column.title, Unit::ns, column.about, [&](const LayerChange& row) {
      return (row.*column.side).work_ns[static_cast<std::size_t>(column.phase)];
    });
  }
  table.integers_of(rows, "comm_a_ns", msg::a_communication, Unit::ns, msg::median_of_communication,
                    [](const LayerChange& row) { return row.a.communication_ns; });
  table.integers_of(rows, "comm_b_ns", msg::b_communication, Unit::ns, msg::median_of_communication,
                    [](const LayerChange& row) { return row.b.communication_ns; });
}

Table layer_change_table(const RunComparison& comparison) {
  Table table = begin_table(kLayerChangeTable, msg::layer_changes_definition);
  const LayerChanges none;
  const LayerChanges& changes = comparison.layers ? *comparison.layers : none;
  const std::vector<LayerChange>& rows = changes.rows;
  table.integers_of(rows, "stack", msg::stack_of_layers, Unit::id, msg::stack_of_layers_in_both_runs,
                    &LayerChange::stack);
  table.text_column(rows, "layers", msg::layers, msg::container_or_phase_of_layers,
                    [&](const LayerChange& row) { return stack_label(changes.stacks[row.stack]); });
  table.integers_of(rows, "layer", msg::layer, Unit::id, msg::index_of_the_layer,
                    [](const LayerChange& row) { return row.a.layer; });
  table.text_column(
      rows, "module", msg::module, msg::module_or_annotation_of_the_layer,
      [&](const LayerChange& row) { return module_of(changes.stacks[row.stack], row.a.layer); });
  table.integers_of(rows, "a_ns", msg::a, Unit::ns, msg::work_of_the_layer,
                    [](const LayerChange& row) { return row.a.total_ns(); });
  table.integers_of(rows, "b_ns", msg::b, Unit::ns, msg::work_of_the_layer,
                    [](const LayerChange& row) { return row.b.total_ns(); });
  table.integers_of(rows, "change_ns", msg::change, Unit::ns, msg::b_minus_a_of_the_layer,
                    &LayerChange::change_ns);
  table.number_column(rows, "change_share", msg::change_of_a, Unit::share, msg::change_share_of_a,
                      [](const LayerChange& row) {
                        return share_of(row.a.total_ns(), 1, static_cast<double>(row.change_ns()));
                      });
  add_phase_columns(table, rows);
  table.notes = changes.notes;
  return table;
}

Table replaced_table(const RunComparison& comparison) {
  Table table = begin_table(kReplacedTable, msg::replaced_definition);
  const std::vector<Replacement>& rows = comparison.replacements;
  table.texts_of(rows, "name", msg::operator_, msg::launching_operator, &Replacement::op);
  table.texts_of(rows, "shapes", msg::shapes, msg::shapes_of_inputs, &Replacement::input_dims);
  table.texts_of(rows, "from", msg::kernel_of_a, msg::kernel_not_in_b, &Replacement::from);
  table.texts_of(rows, "to", msg::kernel_of_b, msg::kernel_not_in_a, &Replacement::to);
  table.integers_of(rows, "a_ns", msg::a, Unit::ns, msg::mean_per_step,
                    [&](const Replacement& row) { return mean_ns(row.sum_a, comparison.steps_a.size()); });
  table.integers_of(rows, "b_ns", msg::b, Unit::ns, msg::mean_per_step,
                    [&](const Replacement& row) { return mean_ns(row.sum_b, comparison.steps_b.size()); });
  table.number_column(rows, "change_share", msg::change_of_a, Unit::share, msg::change_share_of_a,
                      &Replacement::change);
  return table;
}

Table check_table(const RunComparison& comparison) {
  Table table = begin_table(kCheckTable, msg::checks_definition);
  const std::vector<RunCheck>& rows = comparison.checks;
  constexpr std::array<msg::Id, 3> kResults{msg::alike, msg::warns, msg::refuses};
  table.text_column(rows, "name", msg::check, msg::checked_property, &RunCheck::what);
  table.text_column(rows, "a", msg::a, msg::value_in_run, &RunCheck::a);
  table.text_column(rows, "b", msg::b, msg::value_in_run, &RunCheck::b);
  table.text_column(rows, "result", msg::result, msg::alike_warns_or_refuses,
                    [&](const RunCheck& row) { return kResults[static_cast<std::size_t>(row.result)]; });
  table.text_column(rows, "outcome", msg::outcome, msg::reason, &RunCheck::outcome);
  return table;
}

}  // namespace

const TableInfo kChangeTable{"changes", msg::what_changed, msg::comparison, msg::about_changes};
const TableInfo kCauseTable{"causes", msg::causes, msg::comparison, msg::about_causes};
const TableInfo kLedgerChangeTable{"ledger", msg::step_ledger, msg::comparison, msg::about_ledger_changes};
const TableInfo kLayerChangeTable{"layers", msg::layers, msg::comparison, msg::about_layer_changes};
const TableInfo kReplacedTable{"replaced", msg::replaced_kernels, msg::comparison, msg::about_replaced};
const TableInfo kCheckTable{"checks", msg::checks_title, msg::comparison, msg::about_checks};
const TableInfo kRankChangeTable{"rank-changes", msg::by_rank, msg::comparison, msg::about_rank_changes};

std::span<const TableInfo* const> comparison_table_kinds(bool of_jobs) {
  static constexpr std::array kKinds{&kChangeTable,   &kCauseTable, &kLedgerChangeTable, &kLayerChangeTable,
                                     &kReplacedTable, &kCheckTable, &kRankChangeTable};
  return std::span(kKinds).first(of_jobs ? kKinds.size() : kKinds.size() - 1);
}

Table rank_change_table(std::span<const RankComparison> ranks) {
  Table table = begin_table(kRankChangeTable, msg::rank_changes_definition);
  table.integers_of(ranks, "rank", msg::rank, Unit::id, msg::rank_in_both_jobs, &RankComparison::rank);
  table.text_column(ranks, "verdict", msg::verdict_other, msg::verdict_on_own_steps,
                    [](const RankComparison& row) { return row.comparison.verdict_text(); });
  table.integers_of(ranks, "a_ns", msg::a, Unit::ns, msg::mean_per_step,
                    [](const RankComparison& row) { return rounded(row.comparison.decisive().mean_a); });
  table.integers_of(ranks, "b_ns", msg::b, Unit::ns, msg::mean_per_step,
                    [](const RankComparison& row) { return rounded(row.comparison.decisive().mean_b); });
  table.integers_of(ranks, "change_ns", msg::change, Unit::ns, msg::mean_per_step,
                    [](const RankComparison& row) {
                      const StepChange& step = row.comparison.decisive();
                      return rounded(step.mean_b - step.mean_a);
                    });
  table.number_column(ranks, "change_share", msg::change_of_a, Unit::share, msg::change_share_of_a,
                      [](const RankComparison& row) { return row.comparison.decisive().change; });
  const auto own_ns = [](const RankComparison& row) {
    return mean_change(row.comparison, row.comparison.own_change());
  };
  table.integers_of(ranks, "own_change_ns", msg::own_work, Unit::ns, msg::own_work_meaning,
                    [&](const RankComparison& row) { return rounded(own_ns(row)); });
  table.integers_of(ranks, "communication_change_ns", msg::communication, Unit::ns,
                    msg::communication_change_meaning, [&](const RankComparison& row) {
                      return rounded(mean_change(row.comparison, row.comparison.step_change) - own_ns(row));
                    });
  table.number_column(ranks, "p", "p", Unit::number, msg::p_of_u_test_on_steps,
                      [](const RankComparison& row) { return row.comparison.decisive().p; });
  const auto largest = [](const RankComparison& row) -> std::optional<ComparedCause> {
    const std::vector<ComparedCause> causes = row.comparison.fine_causes();
    const auto found = std::ranges::max_element(
        causes, {}, [](const ComparedCause& cause) { return std::abs(cause.change); });
    return found == causes.end() || found->change == 0 ? std::nullopt : std::optional(*found);
  };
  table.texts_of(ranks, "cause", msg::largest_cause, msg::largest_cause_meaning,
                 [&](const RankComparison& row) {
                   const auto cause = largest(row);
                   return cause ? text_of(*cause) : std::string();
                 });
  table.integers_of(ranks, "cause_ns", msg::its_change, Unit::ns, msg::change_of_that_cause,
                    [&](const RankComparison& row) {
                      const auto cause = largest(row);
                      return cause ? rounded(mean_change(row.comparison, cause->change)) : 0;
                    });
  return table;
}

std::vector<std::uint32_t> rows_of_cause(const RunComparison& comparison, std::optional<TimeCategory> cause) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < comparison.rows.size(); ++i) {
    if (!cause || comparison.rows[i].cause == *cause) rows.push_back(i);
  }
  return rows;
}

Table comparison_table(const RunComparison& comparison, const TableInfo& kind,
                       std::optional<TimeCategory> cause) {
  if (&kind == &kCauseTable) return cause_table(comparison);
  if (&kind == &kLedgerChangeTable) return ledger_change_table(comparison);
  if (&kind == &kLayerChangeTable) return layer_change_table(comparison);
  if (&kind == &kReplacedTable) return replaced_table(comparison);
  if (&kind == &kCheckTable) return check_table(comparison);
  return change_table(comparison, cause);
}

double mean_change(const RunComparison& comparison, std::int64_t change) {
  return static_cast<double>(change) / static_cast<double>(comparison.steps_a.size()) /
         static_cast<double>(comparison.steps_b.size());
}

}  // namespace kino
