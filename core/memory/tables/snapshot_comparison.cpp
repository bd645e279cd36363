#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <unordered_map>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/snapshot_text.hpp"
#include "core/memory/tables/moved_lines.hpp"
#include "core/memory/tables/snapshot_groups.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {
namespace {

constexpr std::size_t kComparedBetweenStops = 4096;

struct Side {
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  AllocationId largest = kNoAllocation;
  std::uint64_t largest_bytes = 0;
};
struct ComparedRow {
  Message name;
  std::string key;
  Side before;
  Side after;
  std::int64_t difference() const {
    return static_cast<std::int64_t>(after.bytes) - static_cast<std::int64_t>(before.bytes);
  }
};

class Rows {
 public:
  explicit Rows(LiveGrouping by) : by_(by) {}

  void add(const SnapshotScope& scope, Side ComparedRow::*side, const MovedLines& moved,
           const std::stop_token& stop) {
    const Allocations& all = scope.of().history.allocations;
    GroupNames names(scope, by_, moved);
    std::size_t seen = 0;
    for (const AllocationId id : live_at(scope.of().history, scope.at)) {
      if (++seen % kComparedBetweenStops == 0 && stop.stop_requested()) return;
      if (scope.query != nullptr && !scope.query->matches(id)) continue;
      const auto i = static_cast<std::size_t>(id);
      Side& sum = rows_[row_of(names.of(id))].*side;
      sum.bytes += all.size[i];
      ++sum.count;
      if (sum.largest != kNoAllocation && all.size[i] <= sum.largest_bytes) continue;
      sum.largest = id;
      sum.largest_bytes = all.size[i];
    }
  }
  std::vector<ComparedRow> take() {
    std::ranges::stable_sort(rows_, std::ranges::greater{},
                             [](const ComparedRow& row) { return std::abs(row.difference()); });
    return std::move(rows_);
  }

 private:
  std::size_t row_of(const GroupName& group) {
    const auto [at, fresh] = of_key_.try_emplace(group.key, rows_.size());
    if (fresh) rows_.push_back({group.name, group.key, {}, {}});
    return at->second;
  }

  LiveGrouping by_;
  std::vector<ComparedRow> rows_;
  std::unordered_map<std::string, std::size_t> of_key_;
};

Message total_of(const SnapshotScope& scope) {
  const std::string bytes = bytes_text(curve_at(scope.of(), MemoryCurve::requested, scope.at), scope.units);
  const bool one = scope.snapshot->devices.size() == 1;
  const std::string device = std::to_string(scope.of().ordinal);
  if (scope.at == kBeforeRecording) {
    if (one) return {msg::before_the_recording_named, bytes};
    if (scope.of().host) return {msg::before_the_recording_of_host_memory, bytes};
    return {msg::before_the_recording_of_device, bytes, device};
  }
  const std::string event = std::to_string(scope.at);
  if (one) return {msg::after_event_value, bytes, event};
  if (scope.of().host) return {msg::after_event_of_host_memory, bytes, event};
  return {msg::after_event_of_device, bytes, event, device};
}

/// Returns a note with the number of rows that exist on both sides, and their share of each side's bytes.
Message coverage_of(std::span<const ComparedRow> rows, const ComparisonWords& words, ByteUnits units) {
  Side before;
  Side after;
  Side both_before;
  Side both_after;
  std::size_t both = 0;
  for (const ComparedRow& row : rows) {
    before.bytes += row.before.bytes;
    after.bytes += row.after.bytes;
    if (row.before.count == 0 || row.after.count == 0) continue;
    ++both;
    both_before.bytes += row.before.bytes;
    both_after.bytes += row.after.bytes;
  }
  const auto share = [units](msg::Id name, const Side& part, const Side& all) {
    return Message(name, bytes_text(part.bytes, units), bytes_text(all.bytes, units));
  };
  return {msg::rows_in_both, grouped(both), grouped(rows.size()),
          share(words.part_of_before, both_before, before), share(words.part_of_after, both_after, after)};
}

Message moved_note(const MovedLines& moved, const ComparisonWords& words) {
  const std::size_t functions = moved.function_count();
  return {functions == 1 ? msg::lines_of_one_function_shifted : msg::lines_of_functions_shifted,
          grouped(functions), words.before};
}

msg::Id definition_of(LiveGrouping by) {
  switch (by) {
    case LiveGrouping::line:
      return msg::comparison_by_line;
    case LiveGrouping::function:
      return msg::comparison_by_function;
    case LiveGrouping::file:
      return msg::comparison_by_file;
    case LiveGrouping::category:
      return msg::comparison_by_category;
    case LiveGrouping::pool:
      return msg::comparison_by_pool;
    default:
      return msg::comparison_by_stack;
  }
}

constexpr TableGroup kCompareGroups[] = {{"stack", msg::by_stack},       {"line", msg::by_line},
                                         {"function", msg::by_function}, {"file", msg::by_file},
                                         {"category", msg::by_category}, {"pool", msg::by_pool}};

}  // namespace

Table snapshot_comparison(const SnapshotScope& before, const SnapshotScope& after, LiveGrouping by,
                          const std::stop_token& stop, const ComparisonWords& words) {
  Rows sums(by);
  const bool has_lines = by == LiveGrouping::stack || by == LiveGrouping::line;
  const MovedLines moved = has_lines && before.snapshot != after.snapshot
                               ? MovedLines(*before.snapshot, *after.snapshot)
                               : MovedLines();
  sums.add(before, &ComparedRow::before, {}, stop);
  if (!stop.stop_requested()) sums.add(after, &ComparedRow::after, moved, stop);
  const std::vector<ComparedRow> rows = sums.take();
  Table table = titled_table(kCompareTable, definition_of(by));
  table.text_column(rows, "place", group_title(by), msg::grouping_key, &ComparedRow::name);
  const auto add = [&](const char* key, msg::Id title, Unit unit, const Message& about, auto&& get) {
    table.integers_of(rows, key, title, unit, about, get);
  };
  add("difference_bytes", msg::difference, Unit::bytes, {msg::a_minus_b, words.after, words.before},
      &ComparedRow::difference);
  add("before_bytes", words.before, Unit::bytes, msg::live_in_compared_with,
      [](const ComparedRow& row) { return row.before.bytes; });
  add("after_bytes", words.after, Unit::bytes, msg::live_in_compared,
      [](const ComparedRow& row) { return row.after.bytes; });
  add("before_count", words.before_count, Unit::count, msg::allocations,
      [](const ComparedRow& row) { return row.before.count; });
  add("after_count", words.after_count, Unit::count, msg::allocations,
      [](const ComparedRow& row) { return row.after.count; });
  if (has_lines) {
    table.texts_of(rows, "stack", by == LiveGrouping::line ? msg::line : msg::stack,
                   msg::key_in_both_snapshots, &ComparedRow::key);
    table.columns.back().export_only = true;
  }
  for (const ComparedRow& row : rows) {
    table.links.emplace_back(row.after.largest);
    table.links.emplace_back(row.before.largest, 1);
  }
  table.notes.emplace_back(words.totals, total_of(before), total_of(after));
  table.notes.push_back(coverage_of(rows, words, after.units));
  if (moved.function_count() > 0) table.notes.push_back(moved_note(moved, words));
  return table;
}

LiveGrouping compared_by(std::size_t group) {
  constexpr std::array kGroupings{LiveGrouping::stack, LiveGrouping::line,     LiveGrouping::function,
                                  LiveGrouping::file,  LiveGrouping::category, LiveGrouping::pool};
  static_assert(kGroupings.size() == std::size(kCompareGroups));
  return kGroupings[group];
}

constexpr TableKind<SnapshotPair> kCompareTable{
    {.name = "compare",
     .title = msg::comparison,
     .heading = {},
     .about = msg::about_compare,
     .groups = kCompareGroups,
     .supports = {.moment = true, .find = true}},
    [](const SnapshotPair& pair, const TableQuery& query, const std::stop_token& stop) {
      return snapshot_comparison(pair.before, pair.after, compared_by(query.group), stop);
    }};

}  // namespace kino
