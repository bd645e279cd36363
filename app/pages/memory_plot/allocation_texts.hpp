// Texts about a snapshot's allocations: location, age and stack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/memory/snapshot_text.hpp"

namespace kino {

/// Returns "Device 0", or a name of host memory.
std::string device_name(const Snapshot& snapshot, std::size_t device);
std::string pool_text(const Snapshot& snapshot, std::uint16_t pool);
/// Returns the most informative frame: the innermost of the user's code, else of Python, else of C++.
std::string place_text(const Snapshot& snapshot, StackId stack);

/// Returns where an allocation was made; if before the recording, states that and where it was freed.
std::string place_text(const Snapshot& snapshot, const Allocations& all, AllocationId id);
/// Like place_text() for a stack: the allocation's, or with `of_free` that of its free.
std::string strip_place_text(const Snapshot& snapshot, StackId stack, bool of_free);

/// A part of a stack: one user frame, or adjacent frames of libraries and C++, folded into one line. A stack
/// without user frames is not folded: each frame is a part.
struct StackPart {
  std::uint32_t first = 0;  ///< index in SnapshotStacks::frames()
  std::uint32_t count = 1;
  bool library = false;
};
/// Innermost first. O(frames).
std::vector<StackPart> stack_parts(const Snapshot& snapshot, StackId stack);

/// Returns the age at `event`, in events and, if recorded, in time: "1 204 events, 3.2 ms".
std::string age_text(const SnapshotDevice& device, AllocationId id, EventIndex event);

}  // namespace kino
