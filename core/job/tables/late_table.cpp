#include "core/job/tables/late_table.hpp"

#include <algorithm>

#include "core/job/tables/instance_table.hpp"

namespace kino {
namespace {

constexpr std::string_view kLateKeys[] = {"operation", "at_ns"};

struct LateRow {
  const LateCause* cause = nullptr;
  const CollectiveWait* wait = nullptr;
  CollectiveCall call;
};

std::int64_t shown_rank(const JobAnalysis& job, std::uint32_t index) {
  return job.ranks[index]->rank < 0 ? kNoInteger : job.ranks[index]->rank;
}

struct ExcessColumn {
  StretchPart part;
  const char* key;
  const char* title;
};
constexpr ExcessColumn kExcess[] = {
    {StretchPart::compute, "compute_ns", "Compute"},
    {StretchPart::copy, "copy_ns", "Copies"},
    {StretchPart::other_communication, "other_communication_ns", "Other communication"},
    {StretchPart::queued, "queued_ns", "Queued work"},
    {StretchPart::data_loader, "data_loader_ns", "Data loading"},
    {StretchPart::garbage_collection, "garbage_collection_ns", "Garbage collection"},
    {StretchPart::blocking_call, "blocking_call_ns", "Blocking calls"},
    {StretchPart::cpu_busy, "cpu_busy_ns", "CPU busy"},
    {StretchPart::cpu_silent, "cpu_silent_ns", "CPU silent"},
    {StretchPart::launch_unknown, "launch_unknown_ns", "GPU idle (launch not recorded)"},
};

/// Names the file of a rank without a number.
std::string shown_file(const JobScope& scope, std::uint32_t index) {
  const bool named = scope.analysis.ranks[index]->rank < 0 && index < scope.files.size();
  return named ? scope.files[index] : std::string();
}

Table late_table(const JobScope& scope, const std::stop_token& stop) {
  const JobAnalysis& job = scope.analysis;
  std::vector<LateRow> rows;
  for (const LateCause& cause : job.causes) {
    if (stop.stop_requested()) break;
    const CollectiveWait& wait = job.waits.collectives[cause.collective];
    rows.push_back({&cause, &wait, call_of(job, wait)});
  }
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const LateRow& row) { return row.wait->waiting_ns; });
  Table table;
  table.name = kLateTable.name;
  table.title = kLateTable.title;
  table.definition =
      "A row a collective whose last rank is sure. Where that one was late only because it had waited in a "
      "collective before, the way goes back to who was late there, up to the rank that took longer itself: "
      "the root. How much longer is told by what it did between two collectives, less what a rank did that "
      "arrived in the middle.";
  const std::int64_t begin = job.begin_ns();
  table.integers_of(rows, "at_ns", "At", Unit::ns, "The first arrival, since the job's begin",
                    [&](const LateRow& row) { return row.call.start_ns - begin; });
  table.texts_of(rows, "operation", "Operation", "What it does",
                 [](const LateRow& row) { return std::string(row.call.operation); });
  table.integers_of(rows, "waiting_ns", "Waiting", Unit::ns, "Of all ranks, until the last one has come",
                    [](const LateRow& row) { return row.wait->waiting_ns; });
  table.integers_of(rows, "last", "Last", Unit::id, "The rank that came last",
                    [&](const LateRow& row) { return shown_rank(job, row.wait->last); });
  table.integers_of(rows, "late_ns", "Late by", Unit::ns, "Behind the rank that arrived in the middle",
                    [](const LateRow& row) { return row.cause->late_ns; });
  table.integers_of(rows, "root", "Root", Unit::id, "The rank that it goes back to",
                    [&](const LateRow& row) { return shown_rank(job, row.cause->root); });
  if (std::ranges::any_of(job.ranks, [](const auto& rank) { return rank->rank < 0; })) {
    table.texts_of(rows, "last_file", "File of the last", "The recording of a rank without a number",
                   [&](const LateRow& row) { return shown_file(scope, row.wait->last); });
    table.texts_of(rows, "root_file", "File of the root", "The recording of a rank without a number",
                   [&](const LateRow& row) { return shown_file(scope, row.cause->root); });
  }
  table.integers_of(rows, "root_ns", "Waiting for it", Unit::ns,
                    "What of the waiting goes back to the root; the rest is a pipeline's schedule",
                    [](const LateRow& row) { return row.cause->caused_ns; });
  table.integers_of(rows, "hops", "Collectives back", Unit::count, "From this one to where it began",
                    [](const LateRow& row) { return row.cause->hops; });
  table.texts_of(rows, "cause", "Cause", "What took most of the root's excess, or why that is not known",
                 [](const LateRow& row) {
                   const bool own = row.cause->stop == LateStop::own;
                   return std::string(own ? text_of(row.cause->part) : text_of(row.cause->stop));
                 });
  const auto excess = [](const LateRow& row, std::int64_t value) {
    return row.cause->stop == LateStop::own ? value : kNoInteger;
  };
  table.integers_of(rows, "own_ns", "Excess", Unit::ns,
                    "How much longer the root took than its like, but for what that one did elsewhere",
                    [&](const LateRow& row) { return excess(row, row.cause->own_ns); });
  for (const ExcessColumn& column : kExcess) {
    table.integers_of(rows, column.key, column.title, Unit::ns,
                      "Its part of the excess; below 0 it took less", [&](const LateRow& row) {
                        return excess(row, row.cause->excess[static_cast<std::size_t>(column.part)]);
                      });
  }
  table.integers_of(
      rows, "ahead_ns", "Done elsewhere", Unit::ns,
      "Of the part of compute: what its like computed beside the collective before, or elsewhere in the step",
      [&](const LateRow& row) { return excess(row, row.cause->ahead_ns); });
  table.integers_of(rows, "step", "Step", Unit::id, "That launched the kernel the root was late to",
                    [&](const LateRow& row) {
                      const std::int64_t step =
                          job.ranks[row.cause->root]->kernels.step(row.cause->root_kernel);
                      return step < 0 ? kNoInteger : step;
                    });
  for (const LateRow& row : rows) {
    const auto& kernels = job.matched.instances[row.wait->instance].kernels;
    const auto latest = std::ranges::find(kernels, row.wait->latest, &RankKernel::rank);
    table.links.emplace_back(job.ranks[latest->rank]->kernels.slice(latest->kernel), latest->rank);
  }
  return table;
}

}  // namespace

constexpr TableKind<JobScope> kLateTable{
    {.name = "late",
     .title = "Late arrivals",
     .heading = "",
     .about =
         "Of a job: each collective with a rank that came last beyond doubt, whom it goes back to, and why",
     .keys = kLateKeys},
    [](const JobScope& scope, const TableQuery&, const std::stop_token& stop) -> Table {
      return late_table(scope, stop);
    }};

}  // namespace kino
