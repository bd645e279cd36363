#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/categories/inferred_steps.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/snapshot_text.hpp"
#include "core/memory/tables/memory_forecast.hpp"
#include "core/memory/tables/snapshot_tables.hpp"
#include "core/memory/tables/what_if_table.hpp"

namespace kino {
namespace {

constexpr std::size_t kStopEvery = 16384;
constexpr std::size_t kMostMoments = 64;  // maximum number of moments at which stacks are measured

/// Ends of steps, thinned evenly.
struct Moments {
  std::vector<EventIndex> ends;
  std::size_t steps_between = 1;
  bool annotated = false;
};

Moments moments_of(const SnapshotSteps& steps) {
  Moments moments;
  moments.annotated = !steps.region.empty();
  moments.steps_between = std::max<std::size_t>(1, (steps.ends.size() + kMostMoments - 1) / kMostMoments);
  for (std::size_t i = 0; i < steps.ends.size(); i += moments.steps_between)
    moments.ends.push_back(steps.ends[i]);
  return moments;
}

/// Returns the range [first, last) of moments at which an allocation is live.
std::pair<std::size_t, std::size_t> moments_alive(const Moments& moments, const Allocations& all,
                                                  std::uint32_t i) {
  const auto first = std::lower_bound(moments.ends.begin(), moments.ends.end(), all.begin[i]);
  const auto last = std::lower_bound(first, moments.ends.end(), all.end[i]);
  return {static_cast<std::size_t>(first - moments.ends.begin()),
          static_cast<std::size_t>(last - moments.ends.begin())};
}

/// Bytes of one stack at each moment.
struct StackGrowth {
  AllocationId example = kNoAllocation;
  std::uint64_t retained_count = 0;  // allocations that are live at two or more moments
  std::uint64_t categories = 0;      // bits of AllocationCategories::bit_of
  std::vector<std::int64_t> bytes;
  std::size_t rises = 0;
  std::int64_t median_change = 0;
  std::int64_t growth() const { return bytes.back() - bytes.front(); }
  /// Returns the sort key of a row; rows with larger keys come first. Stacks that shrank in the end do not
  /// leak, and stacks that grew only once are unlikely to leak.
  std::tuple<std::int64_t, bool, std::int64_t> rank() const {
    return {growth() > 0 ? std::max<std::int64_t>(0, median_change) : 0, growth() > 0 && rises > 1, growth()};
  }
};

void finish(StackGrowth& row) {
  std::vector<std::int64_t> changes;
  for (std::size_t i = 1; i < row.bytes.size(); ++i) {
    changes.push_back(row.bytes[i] - row.bytes[i - 1]);
    if (changes.back() > 0) ++row.rises;
  }
  if (changes.empty()) return;
  const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2);
  std::nth_element(changes.begin(), middle, changes.end());
  row.median_change = *middle;
}

std::vector<StackGrowth> stack_growths(const SnapshotScope& scope, const Moments& moments,
                                       const std::stop_token& stop) {
  const Allocations& all = scope.of().history.allocations;
  std::vector<StackGrowth> rows;
  std::unordered_map<std::uint64_t, std::size_t> row_of;
  for (std::uint32_t i = 0; i < all.count(); ++i) {
    if (i % kStopEvery == 0 && stop.stop_requested()) break;
    const AllocationId id{i};
    const auto [first, last] = moments_alive(moments, all, i);
    if (first == last || (scope.query != nullptr && !scope.query->matches(id))) continue;
    const auto [at, fresh] = row_of.try_emplace(stack_row(all, id), rows.size());
    if (fresh) rows.push_back({.example = id, .bytes = std::vector<std::int64_t>(moments.ends.size(), 0)});
    StackGrowth& row = rows[at->second];
    if (last - first > 1) ++row.retained_count;
    if (all.size[i] > all.size[index_of(row.example)]) row.example = id;
    if (scope.categories != nullptr) row.categories |= scope.categories->bit_of(i);
    // Store differences, which are summed below.
    row.bytes[first] += signed_of(all.size[i]);
    if (last < row.bytes.size()) row.bytes[last] -= signed_of(all.size[i]);
  }
  for (StackGrowth& row : rows) {
    std::partial_sum(row.bytes.begin(), row.bytes.end(), row.bytes.begin());
    finish(row);
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, &StackGrowth::rank);
  return rows;
}

void note_steps(const SnapshotSteps& steps, const Moments& moments, Table& table) {
  if (steps.ends.empty()) {
    table.notes.emplace_back(msg::the_recording_is_too_short_to);
  } else if (steps.region.empty()) {
    table.notes.emplace_back(msg::equal_parts_instead_of_steps, std::to_string(steps.ends.size()));
  } else if (steps.inferred) {
    const std::string count = grouped(steps.ends.size());
    table.notes.push_back(steps.region == "forward"
                              ? Message(msg::no_annotations_rounds_of_forward, count)
                              : Message(msg::no_annotations_steps_inferred, count, steps.region));
  } else {
    table.notes.emplace_back(msg::steps_ended_by, grouped(steps.ends.size()), steps.region);
  }
  if (moments.steps_between > 1)
    table.notes.emplace_back(msg::measured_at_the_end_of_every, grouped(moments.steps_between));
}

void stack_rows(const SnapshotScope& scope, const Moments& moments, Table& table,
                const std::stop_token& stop) {
  const Snapshot& snapshot = *scope.snapshot;
  const Allocations& all = scope.of().history.allocations;
  const std::vector<StackGrowth> rows = stack_growths(scope, moments, stop);
  const auto steps = static_cast<std::int64_t>(moments.steps_between);
  table.text_column(rows, "place", msg::allocated_in, msg::innermost_user_frame,
                    [&](const StackGrowth& row) { return place_message(snapshot, all, row.example); });
  const bool parts = !moments.annotated;
  table.integers_of(rows, "per_step_bytes", parts ? msg::growth_per_part : msg::growth_per_step, Unit::bytes,
                    parts ? msg::growth_per_part_meaning : msg::growth_per_step_meaning,
                    [&](const StackGrowth& row) { return parts ? kNoInteger : row.median_change / steps; });
  table.integers_of(rows, "growth_bytes", msg::growth, Unit::bytes,
                    parts ? msg::growth_first_to_last_part : msg::growth_first_to_last_step,
                    &StackGrowth::growth);
  table.integers_of(rows, "steps_grown", parts ? msg::parts_grown : msg::steps_grown, Unit::count,
                    parts ? msg::parts_grown_meaning : msg::steps_grown_meaning, &StackGrowth::rises);
  table.integers_of(rows, "first_bytes", parts ? msg::first_part : msg::first_step, Unit::bytes,
                    parts ? msg::live_at_first_part_end : msg::live_at_the_end_of_the,
                    [](const StackGrowth& row) { return row.bytes.front(); });
  table.integers_of(rows, "last_bytes", parts ? msg::last_part : msg::last_step, Unit::bytes,
                    parts ? msg::live_at_last_part_end : msg::live_at_the_end_of_the_last_step,
                    [](const StackGrowth& row) { return row.bytes.back(); });
  table.integers_of(rows, "kept", parts ? msg::across_parts : msg::across_steps, Unit::count,
                    parts ? msg::live_at_part_ends : msg::allocations_that_are_live_at_the,
                    &StackGrowth::retained_count);
  for (const StackGrowth& row : rows) table.links.emplace_back(row.example);
  if (!rows.empty() && std::ranges::none_of(rows, [](const StackGrowth& row) { return row.growth() > 0; }))
    table.notes.emplace_back(msg::no_stack_grows);
  if (scope.categories != nullptr) {
    table.text_column(rows, "category", msg::category, msg::category_of_row,
                      [&](const StackGrowth& row) { return scope.categories->text_of_set(row.categories); });
  }
}

void step_rows(const SnapshotScope& scope, const SnapshotSteps& steps, Table& table,
               const std::stop_token& stop) {
  struct Row {
    EventIndex begin = 0;
    EventIndex end = 0;
    std::uint64_t allocated = 0;
    std::uint64_t retained = 0;
    std::uint64_t retained_count = 0;
    std::uint64_t freed = 0;
  };
  const SnapshotDevice& device = scope.of();
  const Allocations& all = device.history.allocations;
  std::vector<Row> rows;
  for (const EventIndex end : steps.ends)
    rows.push_back({rows.empty() ? steps.begin : rows.back().end + 1, end, 0, 0, 0, 0});
  const auto row_at = [&](EventIndex event) -> Row* {
    const auto found = std::ranges::lower_bound(rows, event, {}, &Row::end);
    return event < steps.begin || found == rows.end() ? nullptr : &*found;
  };
  for (std::uint32_t i = 0; i < all.count(); ++i) {
    if (i % kStopEvery == 0 && stop.stop_requested()) break;
    if (scope.query != nullptr && !scope.query->matches(AllocationId{i})) continue;
    if (Row* const row = row_at(all.begin[i])) {
      row->allocated += all.size[i];
      if (all.end[i] == kNever) {
        row->retained += all.size[i];
        ++row->retained_count;
      }
    }
    if (Row* const row = all.end[i] == kNever ? nullptr : row_at(all.end[i])) row->freed += all.size[i];
  }
  std::size_t index = 0;
  table.texts_of(rows, "step", msg::step, msg::counted_from_0,
                 [&](const Row&) { return std::to_string(index++); });
  const auto add = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::bytes, about, get);
  };
  add("end_bytes", msg::live_at_its_end, msg::requested_bytes_that_are_live,
      [&](const Row& row) { return curve_at(device, MemoryCurve::requested, row.end); });
  add("change_bytes", msg::change, msg::difference_from_step_start, [&](const Row& row) {
    return signed_of(curve_at(device, MemoryCurve::requested, row.end)) -
           signed_of(curve_at(device, MemoryCurve::requested, row.begin - 1));
  });
  add("peak_bytes", msg::peak_requested, msg::peak_requested_in_step,
      [&](const Row& row) { return curve_over(device, MemoryCurve::requested, row.begin, row.end).highest; });
  add("allocated_bytes", msg::allocated, msg::all_allocations_of_the_step_together, &Row::allocated);
  add("freed_bytes", msg::freed, msg::all_frees_of_the_step_together, &Row::freed);
  add("kept_bytes", msg::never_freed, msg::never_freed_meaning, &Row::retained);
  table.integers_of(rows, "kept", msg::count, Unit::count, msg::allocations_that_are_never_freed,
                    &Row::retained_count);
  table.integers_of(rows, "end_event", msg::ends_at, Unit::id, msg::number_of_its_last_event, &Row::end);
  for (const Row& row : rows) table.links.push_back(RowLink::to_moment(row.end));
  if (steps.begin > 0) {
    table.notes.emplace_back(msg::events_before_first_step, grouped(static_cast<std::uint64_t>(steps.begin)));
  }
}

void kept_rows(const SnapshotScope& scope, const SnapshotSteps& steps, Table& table,
               const std::stop_token& stop) {
  struct Row {
    AllocationId id;
    std::size_t steps = 0;
  };
  const Snapshot& snapshot = *scope.snapshot;
  const SnapshotDevice& device = scope.of();
  const Allocations& all = device.history.allocations;
  const Moments every{steps.ends, 1, true};
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < all.count(); ++i) {
    if (i % kStopEvery == 0 && stop.stop_requested()) break;
    const bool whole = all.begin[i] == kBeforeRecording && all.end[i] == kNever;
    const auto [first, last] = moments_alive(every, all, i);
    if ((last - first < 2 && !whole) || (scope.query != nullptr && !scope.query->matches(AllocationId{i})))
      continue;
    rows.push_back({AllocationId{i}, last - first});
  }
  std::ranges::stable_sort(rows, std::greater<>(),
                           [&](const Row& row) { return all.size[index_of(row.id)]; });
  if (rows.size() > scope.most_rows) {
    table.notes.emplace_back(msg::only_the_largest_of_are_listed, grouped(scope.most_rows),
                             grouped(rows.size()));
    rows.resize(scope.most_rows);
  }
  std::unordered_map<std::uint64_t, Message> places;
  table.text_column(rows, "place", msg::allocated_in, msg::innermost_user_frame, [&](const Row& row) {
    const auto [at, fresh] = places.try_emplace(stack_row(all, row.id));
    if (fresh) at->second = place_message(snapshot, all, row.id);
    return at->second;
  });
  table.integers_of(rows, "bytes", msg::bytes, Unit::bytes, msg::as_requested,
                    [&](const Row& row) { return all.size[index_of(row.id)]; });
  table.integers_of(rows, "steps", msg::steps, Unit::count, msg::steps_at_whose_end_live, &Row::steps);
  table.text_column(rows, "life", msg::lifetime_in_recording, msg::lifetime_in_recording_meaning,
                    [&](const Row& row) {
                      const bool before = all.begin[index_of(row.id)] == kBeforeRecording;
                      const bool end = all.end[index_of(row.id)] == kNever;
                      return before && end ? msg::the_whole_recording
                             : before      ? msg::from_before_it
                             : end         ? msg::to_its_end
                                           : msg::within_it;
                    });
  table.texts_of(rows, "address", msg::address, msg::allocation_address,
                 [&](const Row& row) { return address_text(all.addr[index_of(row.id)]); });
  for (const Row& row : rows) table.links.emplace_back(row.id);
}

/// In the order of GrowthGrouping.
constexpr TableGroup kGrowthGroups[] = {
    {"stack", msg::by_stack}, {"step", msg::by_step}, {"allocation", msg::by_allocation}};

}  // namespace

Table growth_table(const SnapshotScope& scope, GrowthGrouping grouping, const std::stop_token& stop) {
  const SnapshotSteps steps = steps_of(*scope.snapshot, scope.device, stop);
  const Moments moments = moments_of(steps);
  Table table = titled_table(kGrowthTable, msg::growth_definition);
  note_steps(steps, moments, table);
  if (grouping == GrowthGrouping::step) {
    step_rows(scope, steps, table, stop);
  } else if (grouping == GrowthGrouping::allocation) {
    kept_rows(scope, steps, table, stop);
  } else {
    stack_rows(scope, moments, table, stop);
  }
  if (grouping != GrowthGrouping::allocation) {
    const Result<AllocatorRules> set = what_if_settings(scope.settings);
    const bool given = set.ok() && set.value().capacity != kUnlimitedBytes;
    const auto capacity = given ? std::optional(set.value().capacity) : std::nullopt;
    for (Message& note : forecast_notes(memory_forecast(scope.of(), steps, capacity), scope.units))
      table.notes.push_back(std::move(note));
  }
  for (Message& note : recording_notes(scope.of())) table.notes.push_back(std::move(note));
  return table;
}

constexpr TableKind<SnapshotScope> kGrowthTable{
    {.name = "growth",
     .title = msg::growth,
     .heading = {},
     .about = msg::about_growth,
     .groups = kGrowthGroups,
     .supports = {.find = true, .settings = true}},
    [](const SnapshotScope& scope, const TableQuery& query, const std::stop_token& stop) {
      return growth_table(scope, static_cast<GrowthGrouping>(query.group), stop);
    }};

}  // namespace kino
