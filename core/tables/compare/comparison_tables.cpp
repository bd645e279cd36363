#include "core/tables/compare/comparison_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

namespace kino {
namespace {

std::int64_t rounded(double ns) { return std::isnan(ns) ? kNoInteger : std::llround(ns); }

std::int64_t mean_ns(std::int64_t sum, std::size_t steps) {
  return steps == 0 ? kNoInteger : rounded(static_cast<double>(sum) / static_cast<double>(steps));
}

double per_step(std::int64_t count, std::size_t steps) {
  return steps == 0 ? kNoNumber : static_cast<double>(count) / static_cast<double>(steps);
}

/// Of A's mean; nothing where A has none.
double share_of(std::int64_t sum_a, std::size_t steps_a, double change_ns) {
  return sum_a <= 0 ? kNoNumber : change_ns / (static_cast<double>(sum_a) / static_cast<double>(steps_a));
}

/// "4.52 4.41 4.6".
std::string steps_text(const std::vector<std::int64_t>& ns) {
  constexpr double kNsPerMs = 1e6;
  std::string text;
  for (const std::int64_t value : ns) {
    std::array<char, 32> buffer{};
    const int length =
        std::snprintf(buffer.data(), buffer.size(), "%.4g", static_cast<double>(value) / kNsPerMs);
    text += (text.empty() ? "" : " ") + std::string(buffer.data(), static_cast<std::size_t>(length));
  }
  return text;
}

Table begin_table(const TableInfo& kind, const char* definition) {
  Table table;
  table.name = kind.name;
  table.title = kind.title;
  table.definition = definition;
  return table;
}

/// Of what of() gives of a row, which has sums and a change.
template <class Rows, class Of>
void add_means(Table& table, const RunComparison& it, const Rows& rows, Of of) {
  const std::size_t steps_a = it.steps_a.size();
  const std::size_t steps_b = it.steps_b.size();
  table.integers_of(rows, "a_ns", "A", Unit::ns, "Of a mean step",
                    [&](const auto& row) { return mean_ns(of(row).sum_a, steps_a); });
  table.integers_of(rows, "b_ns", "B", Unit::ns, "Of a mean step",
                    [&](const auto& row) { return mean_ns(of(row).sum_b, steps_b); });
  table.integers_of(rows, "change_ns", "Change", Unit::ns, "B less A, of a mean step",
                    [&](const auto& row) { return rounded(mean_change(it, of(row).change)); });
  table.numbers_of(
      rows, "change_share", "Change of A", Unit::share, "The change as a share of A",
      [&](const auto& row) { return share_of(of(row).sum_a, steps_a, mean_change(it, of(row).change)); });
}

Table change_table(const RunComparison& it, std::optional<LedgerCause> cause) {
  Table table = begin_table(
      kChangeTable,
      "A row a kernel, operator, shape, module or step, as the comparison is asked for. Times are of a mean "
      "step; a row is slower or faster when a U test of its time a step says so at a false discovery rate of "
      "5 % over all rows, and it changed by 1 %. The rows of a cause add up to it.");
  const std::vector<std::uint32_t> rows = rows_of_cause(it, cause);
  const std::size_t steps_a = it.steps_a.size();
  const std::size_t steps_b = it.steps_b.size();
  const auto row = [&](std::uint32_t i) -> const ComparedRow& { return it.rows[i]; };
  table.texts_of(rows, "name", "Name", "What the rows of both runs are joined by",
                 [&](std::uint32_t i) { return row(i).key; });
  table.texts_of(rows, "status", "Status", "same where the difference may be noise",
                 [&](std::uint32_t i) { return std::string(text_of(row(i).status)); });
  table.texts_of(rows, "cause", "Cause", "Where in the step its time is",
                 [&](std::uint32_t i) { return std::string(text_of(row(i).cause)); });
  add_means(table, it, rows, [&](std::uint32_t i) -> const ComparedRow& { return row(i); });
  table.numbers_of(rows, "count_a", "A count", Unit::number, "That start in a step, on average",
                   [&](std::uint32_t i) { return per_step(row(i).count_a, steps_a); });
  table.numbers_of(rows, "count_b", "B count", Unit::number, "That start in a step, on average",
                   [&](std::uint32_t i) { return per_step(row(i).count_b, steps_b); });
  table.integers_of(rows, "count_effect_ns", "By count", Unit::ns,
                    "Of the change, what more or fewer come to, each as long as in A",
                    [&](std::uint32_t i) { return rounded(mean_change(it, row(i).count_effect)); });
  table.integers_of(rows, "speed_effect_ns", "By speed", Unit::ns, "The rest of the change",
                    [&](std::uint32_t i) { return rounded(mean_change(it, row(i).speed_effect())); });
  if (std::max(steps_a, steps_b) <= kMostTold) {
    table.texts_of(rows, "steps", "Step by step", "ms in each step of A, then of B", [&](std::uint32_t i) {
      return steps_text(dense_ns(row(i).cells_a, steps_a)) + " | " +
             steps_text(dense_ns(row(i).cells_b, steps_b));
    });
  }
  table.numbers_of(rows, "p", "p", Unit::number, "Of a two-sided Mann-Whitney U test on its time a step",
                   [&](std::uint32_t i) { return row(i).p; });
  table.numbers_of(rows, "q", "q", Unit::number,
                   "The false discovery rate at which it is a difference (Benjamini and Hochberg)",
                   [&](std::uint32_t i) { return row(i).q; });
  return table;
}

Table cause_table(const RunComparison& it) {
  Table table = begin_table(kCauseTable,
                            "Each ns of a step has one cause, so the causes add up to the step and their "
                            "changes to its change.");
  const std::vector<ComparedCause> rows = it.fine_causes();
  table.texts_of(rows, "cause", "Cause", "What holds at those moments",
                 [](const ComparedCause& row) { return text_of(row); });
  add_means(table, it, rows, [](const ComparedCause& row) -> const ComparedCause& { return row; });
  table.numbers_of(rows, "p", "p", Unit::number, "Of a two-sided Mann-Whitney U test on its time a step",
                   &ComparedCause::p);
  return table;
}

Table replaced_table(const RunComparison& it) {
  Table table = begin_table(kReplacedTable,
                            "For the same operator and shapes, a kernel that only A has and one that only B "
                            "has, the longest with the longest.");
  const std::vector<Replacement>& rows = it.replacements;
  table.texts_of(rows, "name", "Operator", "That launches them", &Replacement::op);
  table.texts_of(rows, "shapes", "Shapes", "Of the operator's inputs", &Replacement::input_dims);
  table.texts_of(rows, "from", "Kernel of A", "That B has not", &Replacement::from);
  table.texts_of(rows, "to", "Kernel of B", "That A has not", &Replacement::to);
  table.integers_of(rows, "a_ns", "A", Unit::ns, "Of a mean step",
                    [&](const Replacement& row) { return mean_ns(row.sum_a, it.steps_a.size()); });
  table.integers_of(rows, "b_ns", "B", Unit::ns, "Of a mean step",
                    [&](const Replacement& row) { return mean_ns(row.sum_b, it.steps_b.size()); });
  table.numbers_of(rows, "change_share", "Change of A", Unit::share, "The change as a share of A",
                   &Replacement::change);
  return table;
}

Table check_table(const RunComparison& it) {
  Table table = begin_table(kCheckTable,
                            "What was looked at before the runs were compared. What refuses makes them no "
                            "pair; what warns is to be kept in mind.");
  const std::vector<RunCheck>& rows = it.checks;
  constexpr std::array<std::string_view, 3> kResults{"alike", "warns", "refuses"};
  table.texts_of(rows, "name", "Check", "What was looked at", &RunCheck::what);
  table.texts_of(rows, "a", "A", "What it is there", &RunCheck::a);
  table.texts_of(rows, "b", "B", "What it is there", &RunCheck::b);
  table.texts_of(rows, "result", "Result", "alike, warns or refuses", [&](const RunCheck& row) {
    return std::string(kResults[static_cast<std::size_t>(row.result)]);
  });
  table.texts_of(rows, "outcome", "Outcome", "Why", &RunCheck::outcome);
  return table;
}

}  // namespace

const TableInfo kChangeTable{"changes", "What changed", "Comparison",
                             "kernels, operators, shapes, modules or steps of both runs"};
const TableInfo kCauseTable{"causes", "Causes", "Comparison", "where the step's time went"};
const TableInfo kReplacedTable{"replaced", "Replaced kernels", "Comparison",
                               "kernels that took the place of others"};
const TableInfo kCheckTable{"checks", "What was checked", "Comparison", "whether the runs are a pair"};

const TableInfo kRankChangeTable{"rank-changes", "Rank by rank", "Comparison",
                                 "what each rank's step took in both jobs"};

std::span<const TableInfo* const> comparison_table_kinds(bool of_jobs) {
  static constexpr std::array kKinds{&kChangeTable, &kCauseTable, &kReplacedTable, &kCheckTable,
                                     &kRankChangeTable};
  return std::span(kKinds).first(of_jobs ? kKinds.size() : kKinds.size() - 1);
}

Table rank_change_table(std::span<const RankComparison> ranks) {
  Table table = begin_table(
      kRankChangeTable,
      "Each rank's mean step in both jobs. Ranks wait for each other, so one that is late makes "
      "all of them slower: own work is what it takes itself, and communication holds what it waits.");
  table.integers_of(ranks, "rank", "Rank", Unit::id, "That both jobs have", &RankComparison::rank);
  table.texts_of(ranks, "verdict", "Verdict", "Of its own steps",
                 [](const RankComparison& it) { return it.comparison.verdict_text(); });
  table.integers_of(ranks, "a_ns", "A", Unit::ns, "Of a mean step",
                    [](const RankComparison& it) { return rounded(it.comparison.decisive().mean_a); });
  table.integers_of(ranks, "b_ns", "B", Unit::ns, "Of a mean step",
                    [](const RankComparison& it) { return rounded(it.comparison.decisive().mean_b); });
  table.integers_of(ranks, "change_ns", "Change", Unit::ns, "Of a mean step", [](const RankComparison& it) {
    return rounded(it.comparison.decisive().mean_b - it.comparison.decisive().mean_a);
  });
  table.numbers_of(ranks, "change_share", "Change of A", Unit::share, "The change as a share of A",
                   [](const RankComparison& it) { return it.comparison.decisive().change; });
  const auto own_ns = [](const RankComparison& it) {
    return mean_change(it.comparison, it.comparison.own_change());
  };
  table.integers_of(ranks, "own_change_ns", "Own work", Unit::ns,
                    "Change of a mean step without exposed communication, in which a rank may wait",
                    [&](const RankComparison& it) { return rounded(own_ns(it)); });
  table.integers_of(ranks, "communication_change_ns", "Communication", Unit::ns,
                    "Change of the exposed communication of a mean step, which holds the waiting",
                    [&](const RankComparison& it) {
                      return rounded(mean_change(it.comparison, it.comparison.step_change) - own_ns(it));
                    });
  table.numbers_of(ranks, "p", "p", Unit::number, "Of a two-sided Mann-Whitney U test on its steps",
                   [](const RankComparison& it) { return it.comparison.decisive().p; });
  const auto largest = [](const RankComparison& it) -> std::optional<ComparedCause> {
    const std::vector<ComparedCause> causes = it.comparison.fine_causes();
    const auto found = std::ranges::max_element(
        causes, {}, [](const ComparedCause& cause) { return std::abs(cause.change); });
    return found == causes.end() || found->change == 0 ? std::nullopt : std::optional(*found);
  };
  table.texts_of(ranks, "cause", "Largest cause", "Of its change", [&](const RankComparison& it) {
    const auto cause = largest(it);
    return cause ? text_of(*cause) : std::string();
  });
  table.integers_of(ranks, "cause_ns", "Of that", Unit::ns, "Its change of a mean step",
                    [&](const RankComparison& it) {
                      const auto cause = largest(it);
                      return cause ? rounded(mean_change(it.comparison, cause->change)) : 0;
                    });
  return table;
}

std::vector<std::uint32_t> rows_of_cause(const RunComparison& it, std::optional<LedgerCause> cause) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < it.rows.size(); ++i) {
    if (!cause || it.rows[i].cause == *cause) rows.push_back(i);
  }
  return rows;
}

Table comparison_table(const RunComparison& it, const TableInfo& kind, std::optional<LedgerCause> cause) {
  if (&kind == &kCauseTable) return cause_table(it);
  if (&kind == &kReplacedTable) return replaced_table(it);
  if (&kind == &kCheckTable) return check_table(it);
  return change_table(it, cause);
}

double mean_change(const RunComparison& it, std::int64_t change) {
  return static_cast<double>(change) / static_cast<double>(it.steps_a.size()) /
         static_cast<double>(it.steps_b.size());
}

}  // namespace kino
