#include "core/memory/tables/snapshot_tables.hpp"

#include <algorithm>

#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/snapshot_text.hpp"
#include "core/memory/tables/snapshot_columns.hpp"

namespace kino {
namespace {

/// Adds the places of events. For frees, also adds the places of their allocations.
void add_event_places(Table& table, const SnapshotScope& scope, const std::vector<EventIndex>& events) {
  const SnapshotDevice& device = scope.of();
  const SnapshotEntries& entries = device.entries;
  SnapshotPlaces places(scope);
  const auto at = [](EventIndex event) { return static_cast<std::size_t>(event); };
  const auto is_free = [&](EventIndex event) {
    const SnapshotAction action = entries.action[at(event)];
    return action == SnapshotAction::free || action == SnapshotAction::free_requested ||
           action == SnapshotAction::free_completed;
  };
  const auto allocation_of = [&](EventIndex event) { return device.history.allocation_of_entry[at(event)]; };
  table.text_column(events, "place", msg::requested_in, msg::innermost_user_frame, [&](EventIndex event) {
    const AllocationId id = allocation_of(event);
    if (!is_free(event) || id == kNoAllocation) return places.of(entries.stack[at(event)]);
    const Message freed = places.of_free(id);
    return freed.empty() ? Message(msg::place_of_free_not_recorded) : freed;
  });
  table.text_column(events, "allocated_in", msg::allocated_in, msg::place_of_freed_allocation,
                    [&](EventIndex event) {
                      const AllocationId id = allocation_of(event);
                      return !is_free(event) || id == kNoAllocation ? Message() : places.of(id);
                    });
}

}  // namespace

Table allocation_table(const SnapshotScope& scope, const std::stop_token& stop) {
  const SnapshotDevice& device = scope.of();
  const Allocations& all = device.history.allocations;
  std::vector<AllocationId> ids;
  std::size_t found = 0;
  for (std::size_t i = 0; i < all.count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) break;
    const AllocationId id{static_cast<std::uint32_t>(i)};
    if (scope.query != nullptr && !scope.query->matches(id)) continue;
    if (found++ < scope.most_rows) ids.push_back(id);
  }
  Table table = titled_table(kAllocationTable, msg::allocations_definition);
  note_device(scope, table);
  note_left_out(scope, found, table);
  SnapshotPlaces places(scope);
  const auto count = static_cast<EventIndex>(device.entries.entry_count());
  const auto last = [&](AllocationId id) { return std::min(all.end[index_of(id)], count - 1); };
  table.text_column(ids, "place", msg::allocated_in, msg::innermost_user_frame,
                    [&](AllocationId id) { return places.of(id); });
  table.integers_of(ids, "bytes", msg::bytes, Unit::bytes, msg::as_requested,
                    [&](AllocationId id) { return all.size[index_of(id)]; });
  table.integers_of(ids, "life_events", msg::lifetime_in_events, Unit::count, msg::time_to_free_or_end,
                    [&](AllocationId id) { return count_or_none(all.begin[index_of(id)], last(id)); });
  table.integers_of(ids, "life_ns", msg::life, Unit::ns, msg::same_as_time,
                    [&](AllocationId id) { return ns_or_none(device, all.begin[index_of(id)], last(id)); });
  add_facts(table, scope, ids);
  add_stacks(table, scope, ids);
  add_frees(table, scope, ids);
  table.links.assign(ids.begin(), ids.end());
  note_recording(scope, table);
  return table;
}

Table event_table(const SnapshotScope& scope, const std::stop_token& stop) {
  const SnapshotDevice& device = scope.of();
  const SnapshotEntries& entries = device.entries;
  const auto count = static_cast<EventIndex>(entries.entry_count());
  std::vector<EventIndex> events;
  std::size_t found = 0;
  for (EventIndex event = 0; event < count; ++event) {
    if (static_cast<std::size_t>(event) % kCancelStride == 0 && stop.stop_requested()) break;
    if (scope.query != nullptr && !scope.query->matches_event(event)) continue;
    if (found++ < scope.most_rows) events.push_back(event);
  }
  Table table = titled_table(kEventTable, msg::events_definition);
  note_device(scope, table);
  note_left_out(scope, found, table);
  const auto at = [](EventIndex event) { return static_cast<std::size_t>(event); };
  table.texts_of(events, "action", msg::action, msg::as_in_the_file,
                 [&](EventIndex event) { return text_of(entries.action[at(event)]); });
  table.integers_of(events, "event", msg::event, Unit::id, msg::its_number,
                    [](EventIndex event) { return std::int64_t{event}; });
  table.integers_of(events, "time_ns", msg::time, Unit::ns, msg::since_the_first_event,
                    [&](EventIndex event) { return ns_or_none(device, 0, event); });
  table.integers_of(events, "bytes", msg::bytes, Unit::bytes, msg::event_bytes_meaning,
                    [&](EventIndex event) { return entries.size[at(event)]; });
  table.integers_of(events, "active_bytes", msg::requested_after, Unit::bytes,
                    msg::live_requested_after_event,
                    [&](EventIndex event) { return curve_at(device, MemoryCurve::requested, event); });
  add_event_places(table, scope, events);
  table.texts_of(events, "address", msg::address, msg::address_of_block_or_segment, [&](EventIndex event) {
    return entries.action[at(event)] == SnapshotAction::oom ? std::string()
                                                            : address_text(entries.addr[at(event)]);
  });
  table.texts_of(events, "stream", msg::stream, msg::stream_of_allocation,
                 [&](EventIndex event) { return stream_text(*scope.snapshot, entries.stream[at(event)]); });
  add_stack_column(table, scope, "stack", msg::all_frames_as_the_event_has, events,
                   [&](EventIndex event) { return entries.stack[at(event)]; });
  note_free_stacks(scope, table);
  for (const EventIndex event : events) {
    table.links.emplace_back(device.history.allocation_of_entry[at(event)]);
    table.links.push_back(RowLink::to_moment(event));
  }
  note_recording(scope, table);
  return table;
}

constexpr TableKind<SnapshotScope> kAllocationTable{
    {.name = "allocations",
     .title = msg::allocations,
     .heading = {},
     .about = msg::about_allocations,
     .supports = {.find = true}},
    [](const SnapshotScope& scope, const TableQuery&, const std::stop_token& stop) {
      return allocation_table(scope, stop);
    }};

constexpr TableKind<SnapshotScope> kEventTable{
    {.name = "events",
     .title = msg::events,
     .heading = {},
     .about = msg::about_events,
     .supports = {.find = true, .actions = true}},
    [](const SnapshotScope& scope, const TableQuery&, const std::stop_token& stop) {
      return event_table(scope, stop);
    }};

}  // namespace kino
