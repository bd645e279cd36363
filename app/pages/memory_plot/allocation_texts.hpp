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
/// Returns the most informative frame of a stack as text: the innermost frame of the user's code, else of
/// Python, else of C++.
std::string place_text(const Snapshot& snapshot, StackId stack);

/// Returns where an allocation was made. If it was made before the recording, the text states this and where
/// it was freed.
std::string place_text(const Snapshot& snapshot, const Allocations& all, AllocationId id);
/// Returns the place of allocations with this stack. `of_free`: they were made before the recording, and the
/// stack is that of their free.
std::string strip_place_text(const Snapshot& snapshot, StackId stack, bool of_free);

/// A part of a stack: one user frame, or adjacent frames of libraries and C++, folded into one line. A stack
/// without user frames is not folded: each of its frames is a part.
struct StackPart {
  std::uint32_t first = 0;  ///< index in SnapshotStacks::frames()
  std::uint32_t count = 1;
  bool library = false;
};
/// Returns the parts of a stack, innermost first. O(frames).
std::vector<StackPart> stack_parts(const Snapshot& snapshot, StackId stack);

/// Returns the age at `event`, in events and, if recorded, in time: "1 204 events, 3.2 ms".
std::string age_text(const SnapshotDevice& device, AllocationId id, EventIndex event);

}  // namespace kino
