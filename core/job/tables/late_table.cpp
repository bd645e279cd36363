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
  StretchPart part;
  msg::Id title;
};
constexpr ExcessColumn kExcess[] = {
    {"compute_ns", StretchPart::compute, msg::compute},
    {"copy_ns", StretchPart::copy, msg::copies},
    {"other_communication_ns", StretchPart::other_communication, msg::other_communication},
    {"queued_ns", StretchPart::queued, msg::queued_work},
    {"data_loader_ns", StretchPart::data_loader, msg::data_loading},
    {"garbage_collection_ns", StretchPart::garbage_collection, msg::garbage_collection},
    {"blocking_call_ns", StretchPart::blocking_call, msg::blocking_calls},
    {"cpu_busy_ns", StretchPart::cpu_busy, msg::cpu_busy},
    {"cpu_silent_ns", StretchPart::cpu_silent, msg::cpu_silent},
    {"launch_unknown_ns", StretchPart::launch_unknown, msg::gpu_idle_launch_not_recorded},
};

/// Returns the file of a rank without a number, else nothing.
std::string shown_file(const JobScope& scope, std::uint32_t index) {
  const bool named = scope.analysis.ranks[index]->rank < 0 && index < scope.files.size();
  return named ? scope.files[index] : std::string();
}

/// Adds the root's excess and its parts.
void add_excess(Table& table, const std::vector<LateRow>& rows) {
  const auto excess = [](const LateRow& row, std::int64_t value) {
    return row.cause->stop == LateStop::own ? value : kNoInteger;
  };
  table.integers_of(rows, "own_ns", msg::excess, Unit::ns, msg::how_much_longer_the_root_took,
                    [&](const LateRow& row) { return excess(row, row.cause->own_ns); });
  for (const ExcessColumn& column : kExcess) {
    table.integers_of(rows, column.key, column.title, Unit::ns, msg::its_part_of_the_excess_below,
                      [&](const LateRow& row) {
                        return excess(row, row.cause->excess[static_cast<std::size_t>(column.part)]);
                      });
  }
  table.integers_of(rows, "ahead_ns", msg::done_elsewhere, Unit::ns, msg::of_the_part_of_compute_what,
                    [&](const LateRow& row) { return excess(row, row.cause->ahead_ns); });
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
  Table table = titled_table(kLateTable, msg::a_row_a_collective_whose_last);
  const std::int64_t begin = job.begin_ns();
  table.integers_of(rows, "at_ns", msg::at, Unit::ns, msg::the_first_arrival_since_the_jobs,
                    [&](const LateRow& row) { return row.call.start_ns - begin; });
  table.texts_of(rows, "operation", msg::operation, msg::what_it_does,
                 [](const LateRow& row) { return std::string(row.call.operation); });
  table.integers_of(rows, "waiting_ns", msg::waiting, Unit::ns, msg::of_all_ranks_until_the_last,
                    [](const LateRow& row) { return row.wait->waiting_ns; });
  table.integers_of(rows, "last", msg::last, Unit::id, msg::the_rank_that_came_last,
                    [&](const LateRow& row) { return known_or_none(job.ranks[row.wait->last]->rank); });
  table.integers_of(rows, "late_ns", msg::late_by, Unit::ns, msg::behind_the_rank_that_arrived_in,
                    [](const LateRow& row) { return row.cause->late_ns; });
  table.integers_of(rows, "root", msg::root, Unit::id, msg::the_rank_that_it_goes_back,
                    [&](const LateRow& row) { return known_or_none(job.ranks[row.cause->root]->rank); });
  if (std::ranges::any_of(job.ranks, [](const auto& rank) { return rank->rank < 0; })) {
    table.texts_of(rows, "last_file", msg::file_of_the_last, msg::the_recording_of_a_rank_without,
                   [&](const LateRow& row) { return shown_file(scope, row.wait->last); });
    table.texts_of(rows, "root_file", msg::file_of_the_root, msg::the_recording_of_a_rank_without,
                   [&](const LateRow& row) { return shown_file(scope, row.cause->root); });
  }
  table.integers_of(rows, "root_ns", msg::waiting_for_it, Unit::ns, msg::what_of_the_waiting_goes_back,
                    [](const LateRow& row) { return row.cause->caused_ns; });
  table.integers_of(rows, "hops", msg::collectives_back, Unit::count, msg::from_this_one_to_where_it,
                    [](const LateRow& row) { return row.cause->hops; });
  table.words_of(rows, "cause", msg::cause, msg::what_took_most_of_the_roots, [](const LateRow& row) {
    const bool own = row.cause->stop == LateStop::own;
    return own ? text_of(row.cause->part) : text_of(row.cause->stop);
  });
  add_excess(table, rows);
  table.integers_of(rows, "step", msg::step, Unit::id, msg::that_launched_the_kernel_the_root,
                    [&](const LateRow& row) {
                      return known_or_none(job.ranks[row.cause->root]->kernels.step(row.cause->root_kernel));
                    });
  for (const LateRow& row : rows) table.links.push_back(link_to_latest(job, *row.wait));
  return table;
}

}  // namespace

constexpr TableKind<JobScope> kLateTable{
    {.name = "late", .title = msg::late_arrivals, .about = msg::about_late, .keys = kLateKeys}, &late_table};

}  // namespace kino
