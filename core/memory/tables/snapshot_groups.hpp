// What a row of a table of allocations has in common, and what it is called.
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

/// A row's name, and what tells it from others: two files of one name in different folders have one name and
/// two keys. Of allocations older than the recording and freed in it both say so.
struct GroupName {
  std::string key;
  Message name;
};

/// What makes stacks of two recordings the same: all of their Python frames, and without one the step of C++
/// that says most. Lines are those before `moved`. Empty where no frame says anything. O(frames).
std::string stack_key(const Snapshot& snapshot, StackId stack, const MovedLines& moved = {});

/// The rows of `by` in the device of `scope`, which outlives it. Keys have lines as they were before `moved`;
/// names have the snapshot's own lines.
class GroupNames {
 public:
  GroupNames(const SnapshotScope& scope, LiveGrouping by, MovedLines moved = {})
      : scope_(scope), by_(by), moved_(std::move(moved)) {}
  /// Belongs to this, until the next call. O(1), O(frames) for a stack seen for the first time.
  const GroupName& of(AllocationId id);

 private:
  GroupName of_stack(AllocationId id) const;

  const SnapshotScope& scope_;
  LiveGrouping by_;
  MovedLines moved_;
  GroupName other_;
  std::unordered_map<std::uint64_t, GroupName> by_stack_;
};

/// "512 B to 1 KiB".
Message size_class_words(std::uint64_t bytes, ByteUnits units);

}  // namespace kino
