#include <algorithm>
#include <functional>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/job/step_waits.hpp"
#include "core/job/tables/job_tables.hpp"

namespace kino {
namespace {

constexpr std::string_view kStepKeys[] = {"step"};
constexpr std::string_view kStepRankKeys[] = {"step", "rank"};
constexpr TableGroup kStepGroups[] = {{"step", msg::step, kStepKeys},
                                      {"rank", msg::step_and_rank, kStepRankKeys}};

template <class Row>
void add_number(Table& table, const std::vector<Row>& rows, auto&& number) {
  table.integers_of(rows, "step", msg::step, Unit::id, msg::profiler_step_number_or_none,
                    [&](const Row& row) { return known_or_none(std::invoke(number, row)); });
}

/// Sums over the ranks of one step.
struct JobStepRow {
  std::int64_t number = -1;
  std::int64_t length_ns = kNoInteger;
  std::int64_t spread_ns = kNoInteger;
  std::int64_t longest_ns = kNoInteger;
  StepWaits sums;
  std::optional<std::uint32_t> straggler;
  std::int64_t caused_ns = 0;
  std::optional<std::uint32_t> root;
  std::int64_t root_ns = 0;
  std::int64_t peak_bytes = kNoInteger;
  std::int64_t least_peak_bytes = kNoInteger;
};

std::vector<JobStepRow> step_rows_of(const JobAnalysis& job) {
  std::vector<JobStepRow> rows;
  for (const JobStep& step : steps_of(job)) {
    JobStepRow& row = rows.emplace_back();
    row.number = step.number;
    row.straggler = step.straggler();
    if (row.straggler) row.caused_ns = step.ranks[*row.straggler].caused_ns;
    row.root = step.root();
    if (row.root) row.root_ns = step.ranks[*row.root].root_ns;
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < step.ranks.size(); ++i) {
      const StepWaits& rank = step.ranks[i];
      row.sums.waiting_ns += rank.waiting_ns;
      row.sums.transfer_sum_ns += rank.transfer_sum_ns;
      if (rank.peak_bytes >= 0 && job.measure_of(i) == job.memory_measure) {
        const bool first = row.peak_bytes == kNoInteger;
        row.peak_bytes = first ? rank.peak_bytes : std::max(row.peak_bytes, rank.peak_bytes);
        row.least_peak_bytes = first ? rank.peak_bytes : std::min(row.least_peak_bytes, rank.peak_bytes);
      }
      if (rank.length_ns) lengths.push_back(*rank.length_ns);
    }
    if (const std::optional<StepLength> length = step_length(std::move(lengths))) {
      row.length_ns = length->median_ns;
      row.spread_ns = length->longest_ns - length->shortest_ns;
      row.longest_ns = length->longest_ns;
    }
  }
  return rows;
}

Table by_step(const JobAnalysis& job) {
  const std::vector<JobStepRow> rows = step_rows_of(job);
  Table table = titled_table(kJobStepTable, msg::row_per_step_over_ranks);
  add_number(table, rows, &JobStepRow::number);
  table.integers_of(rows, "length_ns", msg::length, Unit::ns, msg::the_median_over_the_ranks,
                    &JobStepRow::length_ns);
  table.integers_of(rows, "spread_ns", msg::spread, Unit::ns, msg::longest_minus_shortest_rank,
                    &JobStepRow::spread_ns);
  table.integers_of(rows, "longest_ns", msg::longest, Unit::ns, msg::length_on_slowest_rank,
                    &JobStepRow::longest_ns);
  table.integers_of(rows, "waiting_ns", msg::waiting, Unit::ns, msg::waiting_of_all_ranks_meaning,
                    [](const JobStepRow& row) { return row.sums.waiting_ns; });
  table.integers_of(rows, "moving_ns", msg::transfer_sum, Unit::ns, msg::all_ranks_time_after_wait,
                    [](const JobStepRow& row) { return row.sums.transfer_sum_ns; });
  table.integers_of(rows, "root", msg::root_rank, Unit::id, msg::root_of_most_waiting,
                    [&](const JobStepRow& row) {
                      return row.root ? known_or_none(job.ranks[*row.root]->rank) : kNoInteger;
                    });
  table.integers_of(rows, "root_ns", msg::root_delay, Unit::ns, msg::waiting_originating_at_that_rank,
                    &JobStepRow::root_ns);
  table.integers_of(rows, "culprit", msg::most_waited_for, Unit::id, msg::last_rank_of_longest_waits,
                    [&](const JobStepRow& row) {
                      return row.straggler ? known_or_none(job.ranks[*row.straggler]->rank) : kNoInteger;
                    });
  table.integers_of(rows, "caused_ns", msg::delay_caused_as_last, Unit::ns,
                    msg::waiting_where_it_arrived_last, &JobStepRow::caused_ns);
  table.integers_of(rows, "peak_bytes", peak_column(job.memory_measure).title, Unit::bytes,
                    msg::rank_with_highest_peak, &JobStepRow::peak_bytes);
  table.integers_of(rows, "least_peak_bytes", msg::lowest_peak, Unit::bytes, msg::rank_with_lowest_peak,
                    &JobStepRow::least_peak_bytes);
  for (const JobStepRow& row : rows) {
    const std::optional<std::uint32_t> rank = row.root ? row.root : row.straggler;
    table.links.push_back(rank ? RowLink::to_recording(*rank) : RowLink());
  }
  return table;
}

Table by_step_and_rank(const JobAnalysis& job) {
  struct Row {
    std::int64_t number = -1;
    std::size_t rank = 0;
    StepWaits waits;
  };
  std::vector<Row> rows;
  for (const JobStep& step : steps_of(job)) {
    for (std::size_t i = 0; i < step.ranks.size(); ++i) {
      if (step.ranks[i].length_ns || step.ranks[i].collectives > 0)
        rows.push_back({step.number, i, step.ranks[i]});
    }
  }
  Table table = titled_table(kJobStepTable, msg::row_per_step_and_rank);
  add_number(table, rows, &Row::number);
  table.integers_of(rows, "rank", msg::rank, Unit::id, msg::as_stated_in_file,
                    [&](const Row& row) { return known_or_none(job.ranks[row.rank]->rank); });
  const auto ns = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, about,
                      [&](const Row& row) { return std::invoke(get, row.waits); });
  };
  ns("length_ns", msg::length, msg::length_of_step_annotation,
     [](const StepWaits& waits) { return waits.length_ns.value_or(kNoInteger); });
  ns("waiting_ns", msg::waiting, msg::waiting_of_rank_meaning, &StepWaits::waiting_ns);
  ns("moving_ns", msg::transfer_sum, msg::their_time_after_wait, &StepWaits::transfer_sum_ns);
  ns("caused_ns", msg::caused, msg::waiting_where_clearly_last, &StepWaits::caused_ns);
  ns("root_ns", msg::root_delay_of_rank, msg::waiting_originating_at_this_rank, &StepWaits::root_ns);
  const PeakColumn peak = peak_column(job.memory_measure);
  table.integers_of(rows, "peak_bytes", peak.title, Unit::bytes, peak.about, [&](const Row& row) {
    const bool known = row.waits.peak_bytes >= 0 && job.measure_of(row.rank) == job.memory_measure;
    return known ? row.waits.peak_bytes : kNoInteger;
  });
  table.integers_of(rows, "times_last", msg::times_last, Unit::count, msg::collectives_where_last,
                    [](const Row& row) { return row.waits.times_last; });
  table.integers_of(rows, "collectives", msg::collectives, Unit::count, msg::matched_collectives_meaning,
                    [](const Row& row) { return row.waits.collectives; });
  for (const Row& row : rows)
    table.links.push_back(RowLink::to_recording(static_cast<std::uint32_t>(row.rank)));
  return table;
}

}  // namespace

constexpr TableKind<JobScope> kJobStepTable{
    {.name = "steps", .title = msg::steps, .about = msg::about_job_steps, .groups = kStepGroups},
    [](const JobScope& scope, const TableQuery& query, const std::stop_token&) -> Table {
      return query.group == 0 ? by_step(scope.analysis) : by_step_and_rank(scope.analysis);
    }};

}  // namespace kino
