#include "core/job/flight/hang_tables.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"

namespace kino {
namespace {

constexpr std::string_view kOutstandingKeys[] = {"rank", "group", "sequence"};
constexpr std::string_view kGroupKeys[] = {"group", "sequence"};
constexpr TableInfo kOutstandingInfo{.name = "outstanding",
                                     .title = msg::outstanding,
                                     .heading = msg::hung_job,
                                     .about = msg::about_outstanding,
                                     .keys = kOutstandingKeys};
constexpr TableInfo kHangGroupInfo{.name = "hang-groups",
                                   .title = msg::waiting_groups,
                                   .heading = msg::hung_job,
                                   .about = msg::about_hang_groups,
                                   .keys = kGroupKeys};

/// An outstanding operation with the entry that its rank recorded.
struct OutstandingRow {
  std::int64_t rank = -1;
  const FlightDump* dump = nullptr;
  const FlightEntry* entry = nullptr;
};

msg::Id state_text(FlightState state) {
  constexpr std::array kStates{msg::scheduled, msg::started, msg::completed};
  return kStates[static_cast<std::size_t>(state)];
}

std::string joined(const std::vector<std::int64_t>& ranks) {
  std::string text;
  for (const std::int64_t rank : ranks) text += (text.empty() ? "" : " ") + std::to_string(rank);
  return text;
}

Table outstanding_table(const HangRecording& hang, const TableQuery& /*query*/,
                        const std::stop_token& /*stop*/) {
  const HangAnalysis& analysis = hang.analysis;
  std::vector<OutstandingRow> rows;
  for (const Outstanding& operation : analysis.outstanding) {
    const FlightDump& dump = hang.dumps[operation.dump];
    rows.push_back({operation.rank, &dump, &dump.entries[operation.entry]});
  }
  Table table = titled_table(kOutstandingInfo, msg::outstanding_definition);
  table.integers_of(rows, "rank", msg::rank, Unit::id, msg::of_the_job,
                    [](const OutstandingRow& row) { return known_or_none(row.rank); });
  table.text_column(rows, "blamed", msg::suspect, msg::suspect_meaning, [&](const OutstandingRow& row) {
    if (analysis.missing.contains(row.rank)) return msg::missing_rank;
    return analysis.stuck.contains(row.rank) ? msg::stuck_rank : msg::nothing;
  });
  table.texts_of(rows, "operation", msg::operation, msg::name_in_flight_recorder_with_job_ranks,
                 [](const OutstandingRow& row) { return operation_text(*row.dump, *row.entry); });
  table.texts_of(rows, "group", msg::process_group, msg::description_of_group, [](const OutstandingRow& row) {
    return row.entry->group < row.dump->groups.size() ? row.dump->groups[row.entry->group].description
                                                      : std::string();
  });
  table.integers_of(rows, "sequence", msg::number, Unit::id, msg::sequence_in_group,
                    [](const OutstandingRow& row) { return known_or_none(row.entry->sequence); });
  table.text_column(rows, "state", msg::state, msg::scheduled_or_started,
                    [](const OutstandingRow& row) { return state_text(row.entry->state); });
  const auto before_newest = [&](const OutstandingRow& row) {
    return row.entry->created_ns > 0 ? analysis.newest_ns - row.entry->created_ns : kNoInteger;
  };
  table.integers_of(rows, "before_newest_ns", msg::before_newest, Unit::ns, msg::before_newest_meaning,
                    before_newest);
  table.integers_of(rows, "age_ns", msg::before_newest, Unit::ns, msg::the_former_name_of_before_newest_ns,
                    before_newest);
  table.columns.back().export_only = true;
  table.texts_of(rows, "input_sizes", msg::inputs_of_operation, msg::their_sizes,
                 [](const OutstandingRow& row) { return row.entry->input_sizes; });
  table.texts_of(rows, "dtypes", msg::types, msg::types_of_sent_data,
                 [](const OutstandingRow& row) { return row.entry->dtypes; });
  table.texts_of(rows, "stack", msg::stack, msg::stack_meaning_or_empty, [](const OutstandingRow& row) {
    std::string stack;
    for (const FlightFrame& frame : row.entry->frames) {
      stack +=
          (stack.empty() ? "" : ";") + frame.file + ":" + std::to_string(frame.line) + ":" + frame.function;
    }
    return stack;
  });
  table.texts_of(rows, "file", msg::file, msg::the_dump,
                 [](const OutstandingRow& row) { return row.dump->file; });
  if (const Message stood = hang_time_text(analysis); !stood.empty()) table.notes.push_back(stood);
  return table;
}

Table group_table(const HangRecording& hang, const TableQuery& /*query*/, const std::stop_token& /*stop*/) {
  const std::vector<WaitingGroup>& rows = hang.analysis.groups;
  Table table = titled_table(kHangGroupInfo, msg::waiting_groups_definition);
  table.texts_of(rows, "group", msg::process_group, msg::description_of_group, &WaitingGroup::description);
  table.integers_of(rows, "sequence", msg::number, Unit::id, msg::sequence_of_operation,
                    [](const WaitingGroup& row) { return known_or_none(row.sequence); });
  table.texts_of(rows, "operation", msg::operation, msg::name_in_flight_recorder, &WaitingGroup::operation);
  table.texts_of(rows, "ranks", msg::ranks, msg::of_the_group,
                 [](const WaitingGroup& row) { return joined(row.ranks); });
  table.texts_of(rows, "missing", msg::missing_ranks, msg::ranks_that_never_enqueued_it,
                 [](const WaitingGroup& row) { return joined(row.missing); });
  table.texts_of(rows, "stuck", msg::stuck_ranks, msg::stuck_ranks_meaning,
                 [](const WaitingGroup& row) { return joined(row.stuck); });
  table.texts_of(rows, "waiting", msg::waiting, msg::waiting_ranks_meaning,
                 [](const WaitingGroup& row) { return joined(row.waiting); });
  table.texts_of(rows, "no_dump", msg::no_dump, msg::ranks_without_dump_meaning,
                 [](const WaitingGroup& row) { return joined(row.no_dump); });
  if (!hang.analysis.messages.empty()) table.notes.emplace_back(msg::messages_are_in_outstanding);
  return table;
}

constexpr TableKind<HangRecording> kOutstandingTable{kOutstandingInfo, &outstanding_table};
constexpr TableKind<HangRecording> kHangGroupTable{kHangGroupInfo, &group_table};
constexpr std::array kKinds{&kOutstandingTable, &kHangGroupTable};

}  // namespace

std::span<const TableInfo* const> hang_table_kinds() {
  static const std::vector<const TableInfo*> kAll(kKinds.begin(), kKinds.end());
  return kAll;
}

Result<Table> hang_table(const HangRecording& hang, const TableRequest& request,
                         const std::stop_token& stop) {
  const auto* const kind = kind_named(kKinds, request.name);
  if (kind == nullptr) return request_error(Message(msg::table_is_for_traces, request.name));
  if (request.range || request.step || request.stream || request.device || !request.at.empty() ||
      !request.since.empty() || !request.find.empty() || !request.group.empty()) {
    return request_error(msg::dump_tables_without_range);
  }
  return kind->compute(hang, {}, stop);
}

}  // namespace kino
