#include "core/job/flight/hang_tables.hpp"

#include <array>
#include <string>
#include <string_view>

#include "core/base/messages/message.hpp"

namespace kino {
namespace {

constexpr std::string_view kOutstandingKeys[] = {"rank", "group", "sequence"};
constexpr std::string_view kGroupKeys[] = {"group", "sequence"};

/// What it was asked for by a rank.
struct OutstandingRow {
  const Outstanding* it = nullptr;
  const FlightDump* dump = nullptr;
  const FlightEntry* entry = nullptr;
};

const char* state_text(FlightState state) {
  constexpr std::array<const char*, 3> kStates{"scheduled", "started", "completed"};
  return kStates[static_cast<std::size_t>(state)];
}

std::string joined(const std::vector<std::int64_t>& ranks) {
  std::string text;
  for (const std::int64_t rank : ranks) text += (text.empty() ? "" : " ") + std::to_string(rank);
  return text;
}

std::int64_t known(std::int64_t number) { return number < 0 ? kNoInteger : number; }

Table outstanding_table(const HangRecording& hang, const TableQuery& /*query*/,
                        const std::stop_token& /*stop*/) {
  const HangAnalysis& analysis = hang.analysis;
  std::vector<OutstandingRow> rows;
  for (const Outstanding& it : analysis.outstanding) {
    const FlightDump& dump = hang.dumps[it.dump];
    rows.push_back({&it, &dump, &dump.entries[it.entry]});
  }
  Table table;
  table.name = "outstanding";
  table.title = msg::outstanding;
  table.definition = msg::a_row_an_operation_that_a;
  table.integers_of(rows, "rank", msg::rank, Unit::id, "Of the job",
                    [](const OutstandingRow& row) { return known(row.it->rank); });
  table.texts_of(rows, "blamed", "To blame", "missing, stuck, or empty", [&](const OutstandingRow& row) {
    if (analysis.missing.contains(row.it->rank)) return std::string("missing");
    return std::string(analysis.stuck.contains(row.it->rank) ? "stuck" : "");
  });
  table.texts_of(rows, "operation", msg::operation,
                 "As NCCL's recorder calls it, with ranks of the job where it names ranks of the group",
                 [](const OutstandingRow& row) { return operation_text(*row.dump, *row.entry); });
  table.texts_of(rows, "group", msg::process_group, "Its description", [](const OutstandingRow& row) {
    return row.entry->group < row.dump->groups.size() ? row.dump->groups[row.entry->group].description
                                                      : std::string();
  });
  table.integers_of(rows, "sequence", "Number", Unit::id, "In its group",
                    [](const OutstandingRow& row) { return known(row.entry->sequence); });
  table.texts_of(rows, "state", msg::state, "scheduled or started",
                 [](const OutstandingRow& row) { return std::string(state_text(row.entry->state)); });
  const auto before_newest = [&](const OutstandingRow& row) {
    return row.entry->created_ns > 0 ? analysis.newest_ns - row.entry->created_ns : kNoInteger;
  };
  table.integers_of(rows, "before_newest_ns", "Before newest", Unit::ns,
                    "Enqueued so long before the newest entry of all ranks", before_newest);
  table.integers_of(rows, "age_ns", "Before newest", Unit::ns,
                    "The former name of before_newest_ns, for programs", before_newest);
  table.columns.back().export_only = true;
  table.texts_of(rows, "input_sizes", "Inputs", "Their sizes",
                 [](const OutstandingRow& row) { return row.entry->input_sizes; });
  table.texts_of(rows, "dtypes", "Types", "Of what is sent",
                 [](const OutstandingRow& row) { return row.entry->dtypes; });
  table.texts_of(rows, "stack", msg::stack,
                 "Innermost frame first, ';' between; empty when it was not recorded",
                 [](const OutstandingRow& row) {
                   std::string stack;
                   for (const FlightFrame& frame : row.entry->frames) {
                     stack += (stack.empty() ? "" : ";") + frame.file + ":" + std::to_string(frame.line) +
                              ":" + frame.function;
                   }
                   return stack;
                 });
  table.texts_of(rows, "file", msg::file, "The dump",
                 [](const OutstandingRow& row) { return row.dump->file; });
  if (const std::string stood = hang_time_text(analysis); !stood.empty()) table.notes.push_back(stood);
  return table;
}

Table group_table(const HangRecording& hang, const TableQuery& /*query*/, const std::stop_token& /*stop*/) {
  const std::vector<WaitingGroup>& rows = hang.analysis.groups;
  Table table;
  table.name = "hang-groups";
  table.title = msg::waiting_groups;
  table.definition = msg::one_row_per_process_group_that;
  table.texts_of(rows, "group", msg::process_group, "Its description", &WaitingGroup::description);
  table.integers_of(rows, "sequence", "Number", Unit::id, "Of the operation in its group",
                    [](const WaitingGroup& row) { return known(row.sequence); });
  table.texts_of(rows, "operation", msg::operation, "As NCCL's recorder calls it", &WaitingGroup::operation);
  table.texts_of(rows, "ranks", msg::ranks, "Of the group",
                 [](const WaitingGroup& row) { return joined(row.ranks); });
  table.texts_of(rows, "missing", "Missing", "Ranks that have never enqueued it",
                 [](const WaitingGroup& row) { return joined(row.missing); });
  table.texts_of(rows, "stuck", msg::stuck, "Ranks that wait in it although others have gone on",
                 [](const WaitingGroup& row) { return joined(row.stuck); });
  table.texts_of(rows, "waiting", msg::waiting, "Ranks that have enqueued it and not finished",
                 [](const WaitingGroup& row) { return joined(row.waiting); });
  table.texts_of(rows, "no_dump", "No dump", "Ranks of this group of which there is no dump, or an empty one",
                 [](const WaitingGroup& row) { return joined(row.no_dump); });
  if (!hang.analysis.messages.empty()) {
    table.notes.emplace_back(msg::only_collectives_are_here_outstanding);
  }
  return table;
}

constexpr TableKind<HangRecording> kOutstandingTable{{.name = "outstanding",
                                                      .title = msg::outstanding,
                                                      .heading = msg::hung_job,
                                                      .about = msg::about_outstanding,
                                                      .keys = kOutstandingKeys},
                                                     &outstanding_table};
constexpr TableKind<HangRecording> kHangGroupTable{{.name = "hang-groups",
                                                    .title = msg::waiting_groups,
                                                    .heading = msg::hung_job,
                                                    .about = msg::about_hang_groups,
                                                    .keys = kGroupKeys},
                                                   &group_table};

constexpr std::array kKinds{&kOutstandingTable, &kHangGroupTable};

}  // namespace

std::span<const TableInfo* const> hang_table_kinds() {
  static constexpr std::array<const TableInfo*, kKinds.size()> kAll{kKinds[0], kKinds[1]};
  return kAll;
}

Result<Table> hang_table(const HangRecording& hang, const TableRequest& request,
                         const std::stop_token& stop) {
  const auto* const kind = kind_named(kKinds, request.name);
  if (kind == nullptr) {
    return request_error("The table " + request.name +
                         " is of traces; a dump of a flight recorder has the tables outstanding and "
                         "hang-groups, and the command info sums it up");
  }
  if (request.range || request.step || request.stream || request.device || !request.at.empty() ||
      !request.since.empty() || !request.find.empty() || !request.group.empty()) {
    return request_error("Tables of dumps take no range, step, group or find");
  }
  return kind->compute(hang, {}, stop);
}

}  // namespace kino
