#include "core/tables/compare/comparison_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

std::int64_t rounded(double ns) { return std::isnan(ns) ? kNoInteger : std::llround(ns); }

std::int64_t mean_ns(std::int64_t sum, std::size_t steps) {
  return steps == 0 ? kNoInteger : rounded(static_cast<double>(sum) / static_cast<double>(steps));
}

double per_step(std::int64_t count, std::size_t steps) {
  return steps == 0 ? kNoNumber : static_cast<double>(count) / static_cast<double>(steps);
}

/// Change as a share of A's mean; no value if A has none.
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

/// Adds the means of A and B and their change. `sums_of` returns the row's object with sums and change.
template <class Rows, class SumsOf>
void add_means(Table& table, const RunComparison& comparison, const Rows& rows, SumsOf sums_of) {
  const std::size_t steps_a = comparison.steps_a.size();
  const std::size_t steps_b = comparison.steps_b.size();
  table.integers_of(rows, "a_ns", msg::a, Unit::ns, msg::of_a_mean_step,
                    [&](const auto& row) { return mean_ns(sums_of(row).sum_a, steps_a); });
  table.integers_of(rows, "b_ns", msg::b, Unit::ns, msg::of_a_mean_step,
                    [&](const auto& row) { return mean_ns(sums_of(row).sum_b, steps_b); });
  table.integers_of(rows, "change_ns", msg::change, Unit::ns, msg::b_less_a_of_a_mean,
                    [&](const auto& row) { return rounded(mean_change(comparison, sums_of(row).change)); });
  table.numbers_of(rows, "change_share", msg::change_of_a, Unit::share, msg::the_change_as_a_share_of,
                   [&](const auto& row) {
                     const auto& sums = sums_of(row);
                     return share_of(sums.sum_a, steps_a, mean_change(comparison, sums.change));
                   });
}

Table change_table(const RunComparison& comparison, std::optional<LedgerCause> cause) {
  Table table = begin_table(kChangeTable, msg::a_row_a_kernel_operator_shape);
  const std::vector<std::uint32_t> rows = rows_of_cause(comparison, cause);
  const std::size_t steps_a = comparison.steps_a.size();
  const std::size_t steps_b = comparison.steps_b.size();
  const auto row = [&](std::uint32_t i) -> const ComparedRow& { return comparison.rows[i]; };
  table.texts_of(rows, "name", msg::name, msg::what_the_rows_of_both_runs,
                 [&](std::uint32_t i) { return row(i).key; });
  table.words_of(rows, "status", msg::status, msg::same_where_the_difference_may_be,
                 [&](std::uint32_t i) { return text_of(row(i).status); });
  table.texts_of(rows, "cause", msg::cause, msg::where_in_the_step_its_time,
                 [&](std::uint32_t i) { return std::string(text_of(row(i).cause)); });
  add_means(table, comparison, rows, row);
  table.numbers_of(rows, "count_a", msg::a_count, Unit::number, msg::that_start_in_a_step_on,
                   [&](std::uint32_t i) { return per_step(row(i).count_a, steps_a); });
  table.numbers_of(rows, "count_b", msg::b_count, Unit::number, msg::that_start_in_a_step_on,
                   [&](std::uint32_t i) { return per_step(row(i).count_b, steps_b); });
  table.integers_of(rows, "count_effect_ns", msg::by_count, Unit::ns, msg::of_the_change_what_more_or,
                    [&](std::uint32_t i) { return rounded(mean_change(comparison, row(i).count_effect)); });
  table.integers_of(rows, "speed_effect_ns", msg::by_speed, Unit::ns, msg::the_rest_of_the_change,
                    [&](std::uint32_t i) { return rounded(mean_change(comparison, row(i).speed_effect())); });
  if (std::max(steps_a, steps_b) <= kMostTold) {
    table.texts_of(rows, "steps", msg::step_by_step, msg::ms_in_each_step_of_a, [&](std::uint32_t i) {
      return steps_text(dense_ns(row(i).cells_a, steps_a)) + " | " +
             steps_text(dense_ns(row(i).cells_b, steps_b));
    });
  }
  table.numbers_of(rows, "p", "p", Unit::number, msg::of_a_two_sided_mann_whitney,
                   [&](std::uint32_t i) { return row(i).p; });
  table.numbers_of(rows, "q", "q", Unit::number, msg::the_false_discovery_rate_at_which,
                   [&](std::uint32_t i) { return row(i).q; });
  return table;
}

Table cause_table(const RunComparison& comparison) {
  Table table = begin_table(kCauseTable, msg::each_ns_of_a_step_has);
  const std::vector<ComparedCause> rows = comparison.fine_causes();
  table.texts_of(rows, "cause", msg::cause, msg::what_holds_at_those_moments,
                 [](const ComparedCause& row) { return text_of(row); });
  add_means(table, comparison, rows, std::identity());
  table.numbers_of(rows, "p", "p", Unit::number, msg::of_a_two_sided_mann_whitney, &ComparedCause::p);
  return table;
}

Table replaced_table(const RunComparison& comparison) {
  Table table = begin_table(kReplacedTable, msg::for_the_same_operator_and_shapes);
  const std::vector<Replacement>& rows = comparison.replacements;
  table.texts_of(rows, "name", msg::operator_, msg::that_launches_them, &Replacement::op);
  table.texts_of(rows, "shapes", msg::shapes, msg::of_the_operators_inputs, &Replacement::input_dims);
  table.texts_of(rows, "from", msg::kernel_of_a, msg::that_b_has_not, &Replacement::from);
  table.texts_of(rows, "to", msg::kernel_of_b, msg::that_a_has_not, &Replacement::to);
  table.integers_of(rows, "a_ns", msg::a, Unit::ns, msg::of_a_mean_step,
                    [&](const Replacement& row) { return mean_ns(row.sum_a, comparison.steps_a.size()); });
  table.integers_of(rows, "b_ns", msg::b, Unit::ns, msg::of_a_mean_step,
                    [&](const Replacement& row) { return mean_ns(row.sum_b, comparison.steps_b.size()); });
  table.numbers_of(rows, "change_share", msg::change_of_a, Unit::share, msg::the_change_as_a_share_of,
                   &Replacement::change);
  return table;
}

Table check_table(const RunComparison& comparison) {
  Table table = begin_table(kCheckTable, msg::what_was_looked_at_before_the);
  const std::vector<RunCheck>& rows = comparison.checks;
  constexpr std::array<msg::Id, 3> kResults{msg::alike, msg::warns, msg::refuses};
  table.words_of(rows, "name", msg::check, msg::what_was_looked_at, &RunCheck::what);
  table.words_of(rows, "a", msg::a, msg::what_it_is_there, &RunCheck::a);
  table.words_of(rows, "b", msg::b, msg::what_it_is_there, &RunCheck::b);
  table.words_of(rows, "result", msg::result, msg::alike_warns_or_refuses,
                 [&](const RunCheck& row) { return kResults[static_cast<std::size_t>(row.result)]; });
  table.words_of(rows, "outcome", msg::outcome, msg::why, &RunCheck::outcome);
  return table;
}

}  // namespace

const TableInfo kChangeTable{"changes", msg::what_changed, msg::comparison, msg::about_changes};
const TableInfo kCauseTable{"causes", msg::causes, msg::comparison, msg::about_causes};
const TableInfo kReplacedTable{"replaced", msg::replaced_kernels, msg::comparison, msg::about_replaced};
const TableInfo kCheckTable{"checks", msg::what_was_checked, msg::comparison, msg::about_checks};
const TableInfo kRankChangeTable{"rank-changes", msg::rank_by_rank, msg::comparison, msg::about_rank_changes};

std::span<const TableInfo* const> comparison_table_kinds(bool of_jobs) {
  static constexpr std::array kKinds{&kChangeTable, &kCauseTable, &kReplacedTable, &kCheckTable,
                                     &kRankChangeTable};
  return std::span(kKinds).first(of_jobs ? kKinds.size() : kKinds.size() - 1);
}

Table rank_change_table(std::span<const RankComparison> ranks) {
  Table table = begin_table(kRankChangeTable, msg::each_ranks_mean_step_in_both);
  table.integers_of(ranks, "rank", msg::rank, Unit::id, msg::that_both_jobs_have, &RankComparison::rank);
  table.words_of(ranks, "verdict", msg::verdict_other, msg::of_its_own_steps,
                 [](const RankComparison& row) { return row.comparison.verdict_text(); });
  table.integers_of(ranks, "a_ns", msg::a, Unit::ns, msg::of_a_mean_step,
                    [](const RankComparison& row) { return rounded(row.comparison.decisive().mean_a); });
  table.integers_of(ranks, "b_ns", msg::b, Unit::ns, msg::of_a_mean_step,
                    [](const RankComparison& row) { return rounded(row.comparison.decisive().mean_b); });
  table.integers_of(ranks, "change_ns", msg::change, Unit::ns, msg::of_a_mean_step,
                    [](const RankComparison& row) {
                      const StepChange& step = row.comparison.decisive();
                      return rounded(step.mean_b - step.mean_a);
                    });
  table.numbers_of(ranks, "change_share", msg::change_of_a, Unit::share, msg::the_change_as_a_share_of,
                   [](const RankComparison& row) { return row.comparison.decisive().change; });
  const auto own_ns = [](const RankComparison& row) {
    return mean_change(row.comparison, row.comparison.own_change());
  };
  table.integers_of(ranks, "own_change_ns", msg::own_work, Unit::ns, msg::change_of_a_mean_step_without,
                    [&](const RankComparison& row) { return rounded(own_ns(row)); });
  table.integers_of(ranks, "communication_change_ns", msg::communication, Unit::ns,
                    msg::change_of_the_exposed_communication_of, [&](const RankComparison& row) {
                      return rounded(mean_change(row.comparison, row.comparison.step_change) - own_ns(row));
                    });
  table.numbers_of(ranks, "p", "p", Unit::number, msg::of_a_two_sided_mann_whitney_u_test,
                   [](const RankComparison& row) { return row.comparison.decisive().p; });
  const auto largest = [](const RankComparison& row) -> std::optional<ComparedCause> {
    const std::vector<ComparedCause> causes = row.comparison.fine_causes();
    const auto found = std::ranges::max_element(
        causes, {}, [](const ComparedCause& cause) { return std::abs(cause.change); });
    return found == causes.end() || found->change == 0 ? std::nullopt : std::optional(*found);
  };
  table.texts_of(ranks, "cause", msg::largest_cause, msg::of_its_change, [&](const RankComparison& row) {
    const auto cause = largest(row);
    return cause ? text_of(*cause) : std::string();
  });
  table.integers_of(ranks, "cause_ns", msg::of_that, Unit::ns, msg::its_change_of_a_mean_step,
                    [&](const RankComparison& row) {
                      const auto cause = largest(row);
                      return cause ? rounded(mean_change(row.comparison, cause->change)) : 0;
                    });
  return table;
}

std::vector<std::uint32_t> rows_of_cause(const RunComparison& comparison, std::optional<LedgerCause> cause) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < comparison.rows.size(); ++i) {
    if (!cause || comparison.rows[i].cause == *cause) rows.push_back(i);
  }
  return rows;
}

Table comparison_table(const RunComparison& comparison, const TableInfo& kind,
                       std::optional<LedgerCause> cause) {
  if (&kind == &kCauseTable) return cause_table(comparison);
  if (&kind == &kReplacedTable) return replaced_table(comparison);
  if (&kind == &kCheckTable) return check_table(comparison);
  return change_table(comparison, cause);
}

double mean_change(const RunComparison& comparison, std::int64_t change) {
  return static_cast<double>(change) / static_cast<double>(comparison.steps_a.size()) /
         static_cast<double>(comparison.steps_b.size());
}

}  // namespace kino
