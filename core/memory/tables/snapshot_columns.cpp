#include "core/memory/tables/snapshot_columns.hpp"

#include <utility>

#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/tables/snapshot_groups.hpp"

namespace kino {

const Message& SnapshotPlaces::of(StackId stack) {
  const auto [at, fresh] = known_.try_emplace(static_cast<std::uint32_t>(stack));
  if (fresh) at->second = place_message(*scope_.snapshot, stack);
  return at->second;
}

Message SnapshotPlaces::of(AllocationId id) {
  const Allocations& all = scope_.of().history.allocations;
  const StackId stack = all.stack[index_of(id)];
  if (stack == kNoStack || stack == kEmptyStack) return of_stack_text(all, id, {});
  return of_stack_text(all, id, of(stack));
}

Message SnapshotPlaces::of_free(AllocationId id) {
  const StackId stack = stack_of_free(scope_.of(), id);
  return stack == kNoStack || stack == kEmptyStack ? Message() : of(stack);
}

std::string whole_stack(const Snapshot& snapshot, StackId stack) {
  std::string text;
  for (const FrameId frame : snapshot.stacks.frames(stack))
    text += (text.empty() ? "" : "; ") + full_frame_text(snapshot, frame);
  return text;
}

void note_device(const SnapshotScope& scope, Table& table) {
  const Snapshot& snapshot = *scope.snapshot;
  if (snapshot.devices.size() < 2) return;
  const SnapshotDevice& device = scope.of();
  Message name(msg::device_named, std::to_string(device.ordinal));
  if (device.host) {
    name = msg::pinned_host_memory;
  } else if (!device.title.empty()) {
    name = Message(device.title);
  }
  table.notes.emplace_back(msg::one_of_in_the_file, name, std::to_string(snapshot.devices.size()));
}

void note_recording(const SnapshotScope& scope, Table& table) {
  for (Message& note : recording_notes(scope.of())) table.notes.push_back(std::move(note));
}

void note_left_out(const SnapshotScope& scope, std::size_t all, Table& table) {
  if (all > scope.most_rows)
    table.notes.emplace_back(msg::only_the_first_of_are_listed, grouped(scope.most_rows), grouped(all));
}

void note_free_stacks(const SnapshotScope& scope, Table& table) {
  const SnapshotDevice& device = scope.of();
  const bool any = device.entries.entry_count() > device.trust.entries_without_stack;
  if (!any || device.trust.frees_have_stacks) return;
  table.notes.emplace_back(msg::recording_without_places_of_frees);
}

std::int64_t count_or_none(EventIndex from, EventIndex to) {
  return from == kBeforeRecording || to == kNever || to < from ? kNoInteger : std::int64_t{to} - from;
}

std::int64_t ns_or_none(const SnapshotDevice& device, EventIndex from, EventIndex to) {
  if (to == kNever) return kNoInteger;
  return ns_between(device, from, to).value_or(kNoInteger);
}

void add_places(Table& table, const SnapshotScope& scope, const std::vector<AllocationId>& ids) {
  const Snapshot& snapshot = *scope.snapshot;
  const Allocations& all = scope.of().history.allocations;
  table.texts_of(ids, "stream", msg::stream, msg::stream_of_allocation,
                 [&](AllocationId id) { return stream_text(snapshot, all.stream[index_of(id)]); });
  table.texts_of(ids, "pool", msg::pool, msg::a_private_pool_or_the_default,
                 [&](AllocationId id) { return pool_id_text(snapshot, all.pool[index_of(id)]); });
}

void add_facts(Table& table, const SnapshotScope& scope, const std::vector<AllocationId>& ids) {
  const Allocations& all = scope.of().history.allocations;
  table.texts_of(ids, "address", msg::address, msg::allocation_address,
                 [&](AllocationId id) { return address_text(all.addr[index_of(id)]); });
  add_places(table, scope, ids);
  if (scope.categories != nullptr) {
    table.text_column(ids, "category", msg::category, msg::category_by_rules,
                      [&](AllocationId id) { return scope.categories->name_of(index_of(id)); });
    table.text_column(ids, "sure", msg::confidence, msg::confidence_of_category,
                      [&](AllocationId id) { return text_of(scope.categories->sure[index_of(id)]); });
    table.text_column(ids, "why", msg::because, msg::evidence_for_category,
                      [&](AllocationId id) { return scope.categories->why_of(index_of(id)); });
  }
  table.integers_of(ids, "allocated_at", msg::allocated_at, Unit::id, msg::number_of_its_alloc_event,
                    [&](AllocationId id) {
                      const EventIndex at = all.begin[index_of(id)];
                      return at == kBeforeRecording ? kNoInteger : std::int64_t{at};
                    });
  table.integers_of(ids, "freed_at", msg::freed_at, Unit::id, msg::number_of_the_event_that_ended,
                    [&](AllocationId id) {
                      const EventIndex at = all.end[index_of(id)];
                      return at == kNever ? kNoInteger : std::int64_t{at};
                    });
}

void add_stacks(Table& table, const SnapshotScope& scope, const std::vector<AllocationId>& ids) {
  const Allocations& all = scope.of().history.allocations;
  add_stack_column(table, scope, "stack", msg::stack_of_allocation_or_free, ids,
                   [&](AllocationId id) { return all.stack[index_of(id)]; });
}

void add_frees(Table& table, const SnapshotScope& scope, const std::vector<AllocationId>& ids) {
  const SnapshotDevice& device = scope.of();
  SnapshotPlaces places(scope);
  table.text_column(ids, "freed_in", msg::freed_in, msg::place_of_free_request,
                    [&](AllocationId id) { return places.of_free(id); });
  add_stack_column(table, scope, "free_stack", msg::all_frames_of_its_free_innermost, ids,
                   [&](AllocationId id) { return stack_of_free(device, id); });
  note_free_stacks(scope, table);
}

}  // namespace kino
