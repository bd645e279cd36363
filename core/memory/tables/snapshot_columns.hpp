// Columns and notes that tables of snapshots have in common: places, stacks, and frees of allocations.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/snapshot_text.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {

/// Texts of the most informative frames, computed once per stack.
class SnapshotPlaces {
 public:
  explicit SnapshotPlaces(const SnapshotScope& scope) : scope_(scope) {}
  const Message& of(StackId stack);
  /// Returns the place of the allocation's stack. For allocations that are older than the recording and freed
  /// in it, this is the place of the free.
  Message of(AllocationId id);
  /// Returns the place where the allocation was freed; empty if unknown.
  Message of_free(AllocationId id);

 private:
  const SnapshotScope& scope_;
  std::unordered_map<std::uint32_t, Message> known_;
};

/// Returns the whole stack with whole paths, innermost first: "file:line function; ...".
std::string whole_stack(const Snapshot& snapshot, StackId stack);
/// Return the number of events, or the ns, between two events; kNoInteger if unknown.
std::int64_t count_or_none(EventIndex from, EventIndex to);
std::int64_t ns_or_none(const SnapshotDevice& device, EventIndex from, EventIndex to);

/// Adds a note with the device if the file has several devices.
void note_device(const SnapshotScope& scope, Table& table);
void note_recording(const SnapshotScope& scope, Table& table);
/// Adds a note if only scope.most_rows of `all` rows are listed.
void note_left_out(const SnapshotScope& scope, std::size_t all, Table& table);
/// Adds a note if the recording has stacks, but no separate stacks of frees.
void note_free_stacks(const SnapshotScope& scope, Table& table);

/// Adds the stream and the pool of each allocation.
void add_places(Table& table, const SnapshotScope& scope, const std::vector<AllocationId>& ids);
/// Adds columns for the allocations `ids`, one per row: address, stream, pool, category, its evidence, and
/// the events of the allocation and its free.
void add_facts(Table& table, const SnapshotScope& scope, const std::vector<AllocationId>& ids);
/// Adds the stack of each allocation.
void add_stacks(Table& table, const SnapshotScope& scope, const std::vector<AllocationId>& ids);
/// Adds the place and the stack of the free of each allocation.
void add_frees(Table& table, const SnapshotScope& scope, const std::vector<AllocationId>& ids);

/// Adds a column with all frames of each stack, for exports, unless it would exceed scope.most_stack_bytes.
template <class Rows, class Get>
void add_stack_column(Table& table, const SnapshotScope& scope, const char* key, msg::Id about,
                      const Rows& rows, const Get& stack_of) {
  if (scope.most_stack_bytes == 0) return;
  std::unordered_map<std::uint32_t, std::string> known;
  std::uint64_t bytes = 0;
  for (const auto& row : rows) {
    const StackId stack = stack_of(row);
    const auto [at, fresh] = known.try_emplace(static_cast<std::uint32_t>(stack));
    if (fresh) at->second = whole_stack(*scope.snapshot, stack);
    bytes += at->second.size();
  }
  if (bytes > scope.most_stack_bytes) {
    table.notes.emplace_back(msg::column_omitted_too_much_text, key, bytes_text(bytes, scope.units));
    return;
  }
  table.texts_of(rows, key, msg::stack, about, [&](const auto& row) -> const std::string& {
    return known.at(static_cast<std::uint32_t>(stack_of(row)));
  });
  table.columns.back().export_only = true;
}

}  // namespace kino
