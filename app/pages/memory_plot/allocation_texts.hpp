// An allocation of a snapshot in words: where it comes from, how old it is, its stack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/memory/snapshot_text.hpp"

namespace kino {

/// "Device 0", or whose memory it is of a host.
std::string device_name(const Snapshot& snapshot, std::size_t device);
std::string pool_text(const Snapshot& snapshot, std::uint16_t pool);
/// The frame that says most: the innermost of the user's, else of Python, else of C++.
std::string place_text(const Snapshot& snapshot, StackId stack);

/// Where an allocation was made; of one that is older than the recording and freed in it, that and where it
/// was freed.
std::string place_text(const Snapshot& snapshot, const Allocations& all, AllocationId id);
/// The same of a stack: the allocation's, or with `of_free` that of its free.
std::string strip_place_text(const Snapshot& snapshot, StackId stack, bool of_free);

/// A part of a stack: one frame of the user's, or neighbours of libraries and C++ that are folded into one
/// line. A stack without a frame of the user's is not folded: each frame is a part.
struct StackPart {
  std::uint32_t first = 0;  ///< in SnapshotStacks::frames()
  std::uint32_t count = 1;
  bool library = false;
};
/// Innermost first. O(frames).
std::vector<StackPart> stack_parts(const Snapshot& snapshot, StackId stack);

/// From its begin to `event` in events, and in time where that is recorded: "1 204 events, 3.2 ms".
std::string age_text(const SnapshotDevice& device, AllocationId id, EventIndex event);

}  // namespace kino
