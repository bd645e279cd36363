#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/job/tables/each_rank_tables.hpp"
#include "core/job/tables/job_ledger.hpp"
#include "core/job/tables/job_tables.hpp"

namespace kino {
namespace {

constexpr std::string_view kLedgerRankKeys[] = {"step", "rank", "gpu"};
constexpr std::string_view kLedgerRowKeys[] = {"step", "rank", "gpu", "cause"};
constexpr std::string_view kLedgerMeanKeys[] = {"rank", "gpu", "cause"};
enum class JobLedgerGrouping : std::uint8_t { rank, row, mean };
/// In the order of JobLedgerGrouping.
constexpr TableGroup kJobLedgerGroups[] = {{"rank", msg::step_and_rank, kLedgerRankKeys},
                                           {"row", msg::job_ledger_by_cause, kLedgerRowKeys},
                                           {"mean", msg::ledger_mean_step, kLedgerMeanKeys}};

template <class Row>
void add_step_and_gpu(Table& table, const JobAnalysis& job, const std::vector<Row>& rows, auto&& name_of_step,
                      bool mean) {
  if (!mean) {
    table.integers_of(rows, "step", msg::step, Unit::id, msg::profiler_step_number_or_none,
                      [&](const Row& row) { return known_or_none(name_of_step(row).step); });
  }
  table.integers_of(rows, "rank", msg::rank, Unit::id, msg::as_stated_in_file,
                    [&](const Row& row) { return known_or_none(job.ranks[name_of_step(row).rank]->rank); });
  table.texts_of(rows, "gpu", msg::gpu, msg::ledger_gpu_about,
                 [&](const Row& row) { return std::string(name_of_step(row).gpu); });
  for (const Row& row : rows) table.links.push_back(RowLink::to_recording(name_of_step(row).rank));
}

/// Adds a column with the time of some rows.
void add_time(Table& table, const std::vector<JobLedgerStep>& steps, const char* key, msg::Id title,
              const std::vector<StepRow>& causes) {
  std::vector<Message> names;
  names.reserve(causes.size());
  for (const StepRow row : causes) names.emplace_back(std::string(text_of(row)));
  table.integers_of(steps, key, title, Unit::ns, Message(msg::job_ledger_time_of_causes, comma_list(names)),
                    [&](const JobLedgerStep& step) {
                      std::int64_t ns = 0;
                      for (const StepRow row : causes) ns += step.times[row];
                      return ns;
                    });
}

std::vector<StepRow> rows_between(StepRow first, StepRow last) {
  std::vector<StepRow> rows;
  for (auto i = static_cast<std::size_t>(first); i <= static_cast<std::size_t>(last); ++i)
    rows.push_back(static_cast<StepRow>(i));
  return rows;
}

Table by_rank(const JobAnalysis& job, const std::vector<JobLedgerStep>& steps) {
  Table table = titled_table(kJobLedgerTable, msg::job_ledger_ranks_definition);
  add_step_and_gpu(
      table, job, steps, [](const JobLedgerStep& step) -> const JobLedgerStep& { return step; }, false);
  table.integers_of(steps, "length_ns", msg::length, Unit::ns, msg::job_ledger_length_about,
                    &JobLedgerStep::length_ns);
  add_time(table, steps, "kernels_ns", msg::kernels,
           rows_between(StepRow::matrix_peak, StepRow::kernel_other));
  add_time(table, steps, "waiting_ns", msg::waiting, {StepRow::comm_waiting});
  add_time(table, steps, "moving_ns", msg::row_comm_moving, {StepRow::comm_moving});
  add_time(table, steps, "unsplit_ns", msg::row_comm_unsplit, {StepRow::comm_unsplit});
  add_time(table, steps, "p2p_ns", msg::row_comm_p2p, {StepRow::comm_p2p});
  add_time(table, steps, "copy_ns", msg::row_copy, {StepRow::copy});
  add_time(table, steps, "bubble_ns", msg::row_idle_bubble, {StepRow::idle_bubble});
  add_time(table, steps, "launch_ns", msg::job_ledger_launch, {StepRow::idle_launch, StepRow::idle_dispatch});
  add_time(table, steps, "host_ns", msg::job_ledger_host,
           {StepRow::idle_loader, StepRow::idle_sync, StepRow::idle_malloc, StepRow::idle_gc,
            StepRow::idle_lock, StepRow::idle_python, StepRow::idle_silent});
  add_time(table, steps, "unknown_ns", msg::row_idle_unknown, {StepRow::idle_unknown});
  add_time(table, steps, "tail_ns", msg::row_idle_tail, {StepRow::idle_tail});
  return table;
}

/// Returns the mean step of each rank and GPU, sorted by rank.
std::vector<JobLedgerStep> mean_steps(const std::vector<JobLedgerStep>& steps) {
  struct Sum {
    JobLedgerStep step;
    std::int64_t count = 0;
  };
  std::map<std::pair<std::uint32_t, std::string_view>, Sum> sums;
  for (const JobLedgerStep& step : steps) {
    Sum& sum = sums[{step.rank, step.gpu}];
    sum.step.rank = step.rank;
    sum.step.gpu = step.gpu;
    sum.step.times += step.times;
    sum.step.waits_at_least = sum.step.waits_at_least || step.waits_at_least;
    ++sum.count;
  }
  std::vector<JobLedgerStep> means;
  means.reserve(sums.size());
  for (auto& [key, sum] : sums) {
    sum.step.times = sum.step.times.mean(sum.count);
    sum.step.length_ns = sum.step.times.total();
    means.push_back(sum.step);
  }
  return means;
}

Table by_cause(const JobAnalysis& job, const std::vector<JobLedgerStep>& steps, bool mean) {
  struct Row {
    const JobLedgerStep* step = nullptr;
    StepRow row = StepRow::idle_tail;
    std::int64_t ns = 0;
  };
  std::vector<Row> rows;
  for (const JobLedgerStep& step : steps) {
    for (const StepRow row : rows_between(StepRow::matrix_peak, StepRow::idle_tail)) {
      if (step.times[row] != 0) rows.push_back({&step, row, step.times[row]});
    }
  }
  Table table =
      titled_table(kJobLedgerTable, mean ? msg::job_ledger_mean_definition : msg::job_ledger_rows_definition);
  add_step_and_gpu(
      table, job, rows, [](const Row& row) -> const JobLedgerStep& { return *row.step; }, mean);
  table.texts_of(rows, "cause", msg::cause, msg::ledger_cause_about,
                 [](const Row& row) { return text_of(row.row); });
  table.integers_of(rows, "time_ns", msg::time, Unit::ns, msg::ledger_time_about, &Row::ns);
  table.number_column(rows, "share", msg::share, Unit::share, msg::ledger_share_about, [](const Row& row) {
    return row.step->length_ns > 0 ? static_cast<double>(row.ns) / static_cast<double>(row.step->length_ns)
                                   : kNoNumber;
  });
  table.text_column(rows, "bound", msg::ledger_bound, msg::ledger_bound_about, [](const Row& row) {
    const bool bound = row.row == StepRow::comm_waiting && row.step->waits_at_least;
    return bound ? Message(msg::ledger_at_least) : Message();
  });
  return table;
}

Table job_ledger_table(const JobScope& scope, const TableQuery& query, const std::stop_token& stop) {
  const auto grouping = static_cast<JobLedgerGrouping>(query.group);
  const bool mean = grouping == JobLedgerGrouping::mean;
  std::vector<JobLedgerStep> steps = job_ledger(scope.analysis, stop);
  if (mean) steps = mean_steps(steps);
  Table table = grouping == JobLedgerGrouping::rank ? by_rank(scope.analysis, steps)
                                                    : by_cause(scope.analysis, steps, mean);
  if (Message note = missing_details_note(scope.analysis.ranks); !note.empty()) {
    table.notes.push_back(std::move(note));
  } else if (steps.empty()) {
    table.notes.emplace_back(msg::ledger_no_gpu_work);
  }
  if (std::ranges::any_of(steps, &JobLedgerStep::waits_at_least))
    table.notes.emplace_back(msg::job_ledger_ranks_are_missing);
  return table;
}

}  // namespace

constexpr TableKind<JobScope> kJobLedgerTable{{.name = "ledger",
                                               .title = msg::time_by_cause,
                                               .about = msg::about_job_ledger,
                                               .groups = kJobLedgerGroups},
                                              &job_ledger_table};

}  // namespace kino
