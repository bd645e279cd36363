#include "core/memory/snapshot_set/snapshot_set_tables.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/tables/what_if_table.hpp"

namespace kino {
namespace {

// Largest number of members that each have a column in the window. For more members, only lowest, median and
// highest are shown.
constexpr std::size_t kMostColumns = 16;
// Number of differences listed per member.
constexpr std::size_t kMostDifferences = 500;

constexpr TableGroup kSumGroups[] = {{"line", msg::by_line},
                                     {"function", msg::by_function},
                                     {"file", msg::by_file},
                                     {"category", msg::by_category},
                                     {"module", msg::by_module}};

constexpr std::string_view kMemberKeys[] = {"snapshot"};
constexpr std::string_view kPlaceKeys[] = {"place"};
constexpr std::string_view kDifferenceKeys[] = {"snapshot", "place"};

constexpr TableInfo kMemberTable{.name = "snapshots",
                                 .title = msg::snapshots,
                                 .heading = msg::many_snapshots,
                                 .about = msg::about_snapshots,
                                 .keys = kMemberKeys};
constexpr TableInfo kSetLineTable{.name = "snapshot-lines",
                                  .title = msg::snapshots_by_line,
                                  .heading = msg::many_snapshots,
                                  .about = msg::about_snapshot_lines,
                                  .groups = kSumGroups,
                                  .keys = kPlaceKeys};
constexpr TableInfo kDifferenceTable{.name = "snapshot-differences",
                                     .title = msg::differences_from_the_median,
                                     .heading = msg::many_snapshots,
                                     .about = msg::about_snapshot_differences,
                                     .groups = kSumGroups,
                                     .keys = kDifferenceKeys};

msg::Id place_title(std::size_t group) {
  constexpr std::array kTitles{msg::line, msg::function, msg::file, msg::category, msg::module};
  return kTitles[group];
}

std::int64_t known_ns(std::int64_t time_us) {
  constexpr std::int64_t kMostUs = INT64_MAX / 1000;
  return time_us == SnapshotEntries::kNoTime || time_us > kMostUs || time_us < -kMostUs ? kNoInteger
                                                                                        : time_us * 1000;
}

/// A GPU of one snapshot.
struct MemberRow {
  std::uint32_t index = 0;
  const SnapshotMember* member = nullptr;
  SumDifference largest;
};

void add_member_memory(Table& table, const SnapshotSet& set, const std::vector<MemberRow>& rows) {
  const auto bytes = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::bytes, about, get);
  };
  bytes("peak_bytes", msg::peak_requested, msg::maximum_of_live_requested,
        [](const MemberRow& row) { return row.member->sums.peak_bytes; });
  bytes("difference_bytes", msg::difference, msg::peak_difference_from_median,
        [&](const MemberRow& row) { return set.difference(row.index); });
  bytes("reserved_bytes", msg::reserved, msg::maximum_reserved_from_device,
        [](const MemberRow& row) { return row.member->sums.reserved_peak_bytes; });
  table.text_column(rows, "largest_place", msg::largest_difference, msg::line_with_largest_difference,
                    [](const MemberRow& row) { return row.largest.name; });
  bytes("largest_difference_bytes", msg::its_change, msg::difference_of_that_line,
        [](const MemberRow& row) { return row.largest.difference(); });
  table.integers_of(
      rows, "peak_ns", msg::peak_at, Unit::ns, msg::since_start_of_recording, [](const MemberRow& row) {
        const SnapshotSums& sums = row.member->sums;
        const bool timed =
            sums.peak_us != SnapshotEntries::kNoTime && sums.first_us != SnapshotEntries::kNoTime;
        return timed ? known_ns(sums.peak_us - sums.first_us) : kNoInteger;
      });
  bytes("asked_bytes", msg::requested_size, msg::size_of_first_failure, [](const MemberRow& row) {
    const auto& failed = row.member->sums.out_of_memory;
    return failed ? static_cast<std::int64_t>(failed->asked) : kNoInteger;
  });
  bytes("device_free_bytes", msg::free_then, msg::device_free_meaning, [](const MemberRow& row) {
    const auto& failed = row.member->sums.out_of_memory;
    return failed ? static_cast<std::int64_t>(failed->device_free) : kNoInteger;
  });
}

Table member_table(const SnapshotSet& set) {
  std::vector<MemberRow> rows;
  for (const std::uint32_t i : set.order) {
    MemberRow& row = rows.emplace_back(MemberRow{i, &set.members[i], {}});
    const auto lines = differences(set.members[i].sums, set.members[set.median].sums, SumsBy::line);
    if (!lines.empty()) row.largest = lines.front();
  }
  Table table = titled_table(kMemberTable, msg::snapshots_definition);
  table.text_column(rows, "snapshot", msg::snapshot, msg::rank_or_file_name,
                    [&](const MemberRow& row) { return set.names[row.index]; });
  table.text_column(rows, "state", msg::state, msg::snapshot_states, [&](const MemberRow& row) -> msg::Id {
    if (row.member->sums.out_of_memory) return msg::out_of_memory;
    if (!row.member->whole) return msg::truncated;
    if (set.outlier[row.index]) return msg::outlier;
    return row.index == set.median ? msg::median_other : msg::nothing;
  });
  add_member_memory(table, set, rows);
  table.integers_of(rows, "events", msg::events, Unit::count, msg::in_the_recording,
                    [](const MemberRow& row) { return row.member->sums.events; });
  table.integers_of(rows, "rank", msg::rank, Unit::id, msg::rank_from_file_name,
                    [](const MemberRow& row) { return known_or_none(row.member->rank); });
  table.integers_of(rows, "gpu", msg::gpu, Unit::id, msg::number_of_the_device_in_its,
                    [](const MemberRow& row) { return row.member->sums.device; });
  table.integers_of(rows, "begin_unix_ns", msg::start_title, Unit::id, msg::start_of_recording,
                    [](const MemberRow& row) { return known_ns(row.member->sums.first_us); });
  table.columns.back().export_only = true;
  table.integers_of(rows, "end_unix_ns", msg::end, Unit::id, msg::end_of_recording,
                    [](const MemberRow& row) { return known_ns(row.member->sums.last_us); });
  table.columns.back().export_only = true;
  table.texts_of(rows, "file", msg::file, msg::file_of_snapshot,
                 [](const MemberRow& row) { return row.member->file; });
  for (const MemberRow& row : rows) table.links.push_back(RowLink::to_recording(row.index));
  table.notes = set_notes(set);
  return table;
}

Table line_table(const SnapshotSet& set, std::size_t group) {
  const SetRows found = set_rows(set, sums_by(group));
  const std::vector<SetRow>& rows = found.rows;
  Table table = titled_table(kSetLineTable, msg::snapshot_lines_definition);
  table.text_column(rows, "place", place_title(group), msg::grouping_key, &SetRow::name);
  const auto bytes = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::bytes, about, get);
  };
  bytes("range_bytes", msg::range_other, msg::lowest_to_highest,
        [](const SetRow& row) { return row.highest - row.lowest; });
  bytes("lowest_bytes", msg::lowest, msg::of_all_snapshots, &SetRow::lowest);
  bytes("median_bytes", msg::median, msg::value_of_median_snapshot,
        [&](const SetRow& row) { return set.median == SnapshotSet::kNone ? 0 : row.bytes[set.median]; });
  bytes("highest_bytes", msg::highest, msg::of_all_snapshots, &SetRow::highest);
  table.text_column(rows, "highest_snapshot", msg::highest_in, msg::first_with_highest,
                    [&](const SetRow& row) { return set.names[row.highest_member]; });
  // For exports, each member has a column, whose key is independent of file names.
  for (std::uint32_t i = 0; i < set.members.size(); ++i) {
    table.integers_of(rows, ("bytes_" + std::to_string(i + 1)).c_str(), set.names[i], Unit::bytes,
                      msg::value_at_its_peak, [i](const SetRow& row) { return row.bytes[i]; });
    table.columns.back().export_only = set.members.size() > kMostColumns;
  }
  table.texts_of(rows, "key", msg::full_path, msg::key_of_row, &SetRow::key);
  table.columns.back().export_only = true;
  for (const SetRow& row : rows) table.links.push_back(RowLink::to_recording(row.highest_member));
  if (found.left_out > 0) table.notes.emplace_back(msg::smaller_differences_omitted, grouped(found.left_out));
  return table;
}

Table difference_table(const SnapshotSet& set, std::size_t group, const std::stop_token& stop) {
  struct Row {
    std::uint32_t member = 0;
    SumDifference difference;
  };
  std::vector<Row> rows;
  std::size_t left_out = 0;
  for (const std::uint32_t i : set.order) {
    if (stop.stop_requested()) break;
    auto found = differences(set.members[i].sums, set.members[set.median].sums, sums_by(group));
    left_out += found.size() - std::min(found.size(), kMostDifferences);
    found.resize(std::min(found.size(), kMostDifferences));
    for (SumDifference& row : found) rows.push_back({i, std::move(row)});
  }
  Table table = titled_table(kDifferenceTable, msg::snapshot_differences_definition);
  table.text_column(rows, "snapshot", msg::snapshot, msg::rank_or_file_name,
                    [&](const Row& row) { return set.names[row.member]; });
  table.text_column(rows, "place", place_title(group), msg::grouping_key,
                    [](const Row& row) { return row.difference.name; });
  const auto bytes = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::bytes, about, get);
  };
  bytes("difference_bytes", msg::difference, msg::difference_from_median,
        [](const Row& row) { return row.difference.difference(); });
  bytes("bytes", msg::at_the_peak, msg::value_of_snapshot,
        [](const Row& row) { return row.difference.bytes; });
  bytes("median_bytes", msg::median, msg::value_of_median_snapshot,
        [](const Row& row) { return row.difference.median_bytes; });
  table.texts_of(rows, "key", msg::full_path, msg::key_of_row,
                 [](const Row& row) { return row.difference.key; });
  table.columns.back().export_only = true;
  for (const Row& row : rows) table.links.push_back(RowLink::to_recording(row.member));
  if (left_out > 0) table.notes.emplace_back(msg::smaller_differences_omitted, grouped(left_out));
  return table;
}

}  // namespace

std::span<const TableInfo* const> snapshot_set_table_kinds() {
  static constexpr std::array kKinds{&kMemberTable, &kSetLineTable, &kDifferenceTable, &kBatchTable};
  return kKinds;
}

SumsBy sums_by(std::size_t group) { return static_cast<SumsBy>(std::min(group, kSumsByCount - 1)); }

Result<Table> snapshot_set_table(const SnapshotSet& set, const TableRequest& request,
                                 const std::stop_token& stop) {
  const TableInfo* const kind = kind_named(snapshot_set_table_kinds(), request.name);
  if (kind == nullptr) return request_error({msg::table_not_for_several_snapshots, escaped(request.name)});
  const bool batch = kind->name == kBatchTable.name;
  if (request.range || request.step || request.stream || request.device || !request.at.empty() ||
      !request.since.empty() || !request.find.empty() || (!batch && !request.settings.empty())) {
    return request_error(msg::several_snapshots_without_range);
  }
  BatchQuery asked{request.sizes, std::nullopt};
  if (!request.settings.empty()) {
    const Result<std::uint64_t> capacity = capacity_alone(request.settings);
    if (!capacity.ok()) return capacity.error();
    asked.capacity = capacity.value();
  }
  const std::optional<std::size_t> group = kind->group_named(request.group);
  if (!group)
    return request_error({msg::the_table_cannot_be_grouped_by, request.name, escaped(request.group)});
  if (batch && !set.members.empty()) {
    if (asked.sizes.empty()) asked.sizes = sizes_of_files(set);
    if (asked.sizes.empty()) return request_error(msg::file_names_without_batch_sizes);
    const BatchFit fit = batch_fit(set, asked.sizes, asked.capacity, request.units);
    if (!fit.refused.empty()) return request_error(fit.refused);
    return batch_table(set, fit, request.units);
  }
  return snapshot_set_table(set, *kind, {.group = *group, .units = request.units}, asked, stop);
}

std::vector<std::uint64_t> sizes_of_files(const SnapshotSet& set) {
  std::vector<std::string> names;
  for (const SnapshotMember& member : set.members) {
    names.resize(std::max(names.size(), member.source + 1));
    names[member.source] = member.file;
  }
  // Ignore files that could not be read: they have no name and need no size.
  std::vector<std::string> read;
  for (const std::string& name : names) {
    if (!name.empty()) read.push_back(name);
  }
  const std::vector<std::uint64_t> found = sizes_in_names(read);
  if (found.empty()) return {};
  std::vector<std::uint64_t> sizes;
  sizes.reserve(names.size());
  std::size_t next = 0;
  for (const std::string& name : names) sizes.push_back(name.empty() ? 0 : found[next++]);
  return sizes;
}

Table snapshot_set_table(const SnapshotSet& set, const TableInfo& kind, const TableQuery& query,
                         const BatchQuery& batch, const std::stop_token& stop) {
  if (kind.name == kBatchTable.name) {
    return batch_table(
        set,
        batch_fit(set, batch.sizes.empty() ? sizes_of_files(set) : batch.sizes, batch.capacity, query.units),
        query.units);
  }
  if (kind.name == kMemberTable.name) return member_table(set);
  if (kind.name == kSetLineTable.name) return line_table(set, query.group);
  return difference_table(set, query.group, stop);
}

}  // namespace kino
