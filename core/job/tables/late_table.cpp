#include <algorithm>

#include "core/base/messages/message.hpp"
#include "core/job/tables/collective_call.hpp"
#include "core/job/tables/job_tables.hpp"

namespace kino {
namespace {

constexpr std::string_view kLateKeys[] = {"operation", "at_ns"};

struct LateRow {
  const LateCause* cause = nullptr;
  const CollectiveWait* wait = nullptr;
  CollectiveCall call;
};

struct ExcessColumn {
  const char* key;
  IntervalPart part;
  msg::Id title;
};
constexpr ExcessColumn kExcess[] = {
    {"compute_ns", IntervalPart::compute, msg::compute},
    {"copy_ns", IntervalPart::copy, msg::copies},
    {"other_communication_ns", IntervalPart::other_communication, msg::other_communication},
    {"queued_ns", IntervalPart::queued, msg::queued_work},
    {"data_loader_ns", IntervalPart::data_loader, msg::data_loading},
    {"garbage_collection_ns", IntervalPart::garbage_collection, msg::garbage_collection},
    {"blocking_call_ns", IntervalPart::blocking_call, msg::blocking_calls},
    {"cpu_busy_ns", IntervalPart::cpu_busy, msg::cpu_busy},
    {"cpu_silent_ns", IntervalPart::cpu_untraced, msg::cpu_untraced},
    {"launch_unknown_ns", IntervalPart::launch_unknown, msg::gpu_idle_launch_not_recorded},
};

/// Returns the file name of a rank without a number; empty for other ranks.
std::string shown_file(const JobScope& scope, std::uint32_t index) {
  const bool named = scope.analysis.ranks[index]->rank < 0 && index < scope.files.size();
  return named ? scope.files[index] : std::string();
}

/// Adds columns for the root's excess and its parts.
void add_excess(Table& table, const std::vector<LateRow>& rows) {
  const auto excess = [](const LateRow& row, std::int64_t value) {
    return row.cause->stop == LateStopReason::own ? value : kNoInteger;
  };
  table.integers_of(rows, "own_ns", msg::excess, Unit::ns, msg::extra_time_of_root,
                    [&](const LateRow& row) { return excess(row, row.cause->own_ns); });
  for (const ExcessColumn& column : kExcess) {
    const bool untraced = column.part == IntervalPart::cpu_untraced;
    table.integers_of(rows, column.key, column.title, Unit::ns,
                      untraced ? msg::untraced_part_of_the_excess : msg::part_of_the_excess,
                      [&](const LateRow& row) {
                        return excess(row, row.cause->excess[static_cast<std::size_t>(column.part)]);
                      });
  }
  table.integers_of(rows, "ahead_ns", msg::done_elsewhere_title, Unit::ns, msg::compute_done_elsewhere,
                    [&](const LateRow& row) { return excess(row, row.cause->overlapped_before_ns); });
}

Table late_table(const JobScope& scope, const TableQuery& /*query*/, const std::stop_token& stop) {
  const JobAnalysis& job = scope.analysis;
  std::vector<LateRow> rows;
  for (const LateCause& cause : job.causes) {
    if (stop.stop_requested()) break;
    const CollectiveWait& wait = job.waits.collectives[cause.collective];
    rows.push_back({&cause, &wait, call_of(job, wait)});
  }
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const LateRow& row) { return row.wait->waiting_ns; });
  Table table = titled_table(kLateTable, msg::row_per_late_collective);
  const std::int64_t begin = job.begin_ns();
  table.integers_of(rows, "at_ns", msg::at, Unit::ns, msg::first_arrival_in_job,
                    [&](const LateRow& row) { return row.call.start_ns - begin; });
  table.texts_of(rows, "operation", msg::operation, msg::kind_of_operation,
                 [](const LateRow& row) { return std::string(row.call.operation); });
  table.integers_of(rows, "waiting_ns", msg::waiting, Unit::ns, msg::waiting_of_all_ranks_meaning,
                    [](const LateRow& row) { return row.wait->waiting_ns; });
  table.integers_of(rows, "last", msg::last, Unit::id, msg::rank_that_arrived_last,
                    [&](const LateRow& row) { return known_or_none(job.ranks[row.wait->last]->rank); });
  table.integers_of(rows, "late_ns", msg::after_median, Unit::ns, msg::after_median_arrival,
                    [](const LateRow& row) { return row.cause->late_ns; });
  table.integers_of(rows, "root", msg::root_cause_rank, Unit::id, msg::rank_where_lateness_originates,
                    [&](const LateRow& row) { return known_or_none(job.ranks[row.cause->root]->rank); });
  if (std::ranges::any_of(job.ranks, [](const auto& rank) { return rank->rank < 0; })) {
    table.texts_of(rows, "last_file", msg::file_of_the_last, msg::recording_of_unnumbered_rank,
                   [&](const LateRow& row) { return shown_file(scope, row.wait->last); });
    table.texts_of(rows, "root_file", msg::file_of_the_root, msg::recording_of_unnumbered_rank,
                   [&](const LateRow& row) { return shown_file(scope, row.cause->root); });
  }
  table.integers_of(rows, "root_ns", msg::root_delay, Unit::ns, msg::waiting_originating_at_root,
                    [](const LateRow& row) { return row.cause->caused_ns; });
  table.integers_of(rows, "hops", msg::collectives_back, Unit::count, msg::collectives_back_to_root,
                    [](const LateRow& row) { return row.cause->hops; });
  table.text_column(rows, "cause", msg::cause, msg::main_cause_or_why_unknown, [](const LateRow& row) {
    const bool own = row.cause->stop == LateStopReason::own;
    return own ? text_of(row.cause->part) : text_of(row.cause->stop);
  });
  add_excess(table, rows);
  table.integers_of(rows, "step", msg::step, Unit::id, msg::step_of_the_late_kernel, [&](const LateRow& row) {
    return known_or_none(job.ranks[row.cause->root]->kernels.step(row.cause->root_kernel));
  });
  for (const LateRow& row : rows) table.links.push_back(link_to_latest(job, *row.wait));
  return table;
}

}  // namespace

constexpr TableKind<JobScope> kLateTable{
    {.name = "late", .title = msg::late_arrivals, .about = msg::about_late, .keys = kLateKeys}, &late_table};

}  // namespace kino
