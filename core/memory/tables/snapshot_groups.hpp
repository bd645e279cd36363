// Grouping of allocations into table rows, with the rows' names.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/tables/moved_lines.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {

/// Name and key of a row. For stacks and lines, the key contains whole paths, and the name only the file's
/// name. If a row is a place in the code, both texts mark older allocations that are freed in the recording.
struct GroupName {
  std::string key;
  Message name;
};

/// Returns a key that equal stacks of two recordings have in common: all Python frames; if there are none,
/// the most informative C++ frame. Lines of Python frames are mapped back by `moved`. Empty if the stack is
/// empty. O(frames).
std::string stack_key(const Snapshot& snapshot, StackId stack, const MovedLines& moved = {});

/// Names of the rows grouped by `by` in the device of `scope`, which must outlive the object. Keys have lines
/// that are mapped back by `moved`; names have the snapshot's own lines.
class GroupNames {
 public:
  GroupNames(const SnapshotScope& scope, LiveGrouping by, MovedLines moved = {})
      : scope_(scope), by_(by), moved_(std::move(moved)) {}
  /// Returns the row's name, valid until the next call. O(1), or O(frames) for a new stack.
  const GroupName& of(AllocationId id);

 private:
  GroupName of_stack(AllocationId id) const;

  const SnapshotScope& scope_;
  LiveGrouping by_;
  MovedLines moved_;
  GroupName other_;
  std::unordered_map<std::uint64_t, GroupName> by_stack_;
};

/// Returns a text such as "512 B to 1 KiB".
Message size_class_text(std::uint64_t bytes, ByteUnits units);

}  // namespace kino
