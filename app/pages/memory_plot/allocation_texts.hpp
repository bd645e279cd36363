// Texts about the devices, pools and allocations of a snapshot: name, place in the code, age and stack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/memory/snapshot_text.hpp"

namespace kino {

/// Returns "Device 0", or a name of host memory.
std::string device_name(const Snapshot& snapshot, std::size_t device);
std::string pool_text(const Snapshot& snapshot, std::uint16_t pool);
/// Returns the place_frame() of a stack as text, or a note that no stack was recorded.
std::string place_text(const Snapshot& snapshot, StackId stack);

/// Returns where an allocation was made. If only its free was recorded, the text states this and where it was
/// freed.
std::string place_text(const Snapshot& snapshot, const Allocations& all, AllocationId id);
/// Returns the place of allocations with this stack. `of_free`: only their frees were recorded, and the stack
/// is that of the free.
std::string strip_place_text(const Snapshot& snapshot, StackId stack, bool of_free);

/// A part of a stack: one user frame, or adjacent frames of libraries and C++, folded into one line. If a
/// stack has no user frame, each of its frames is a part.
struct StackPart {
  std::uint32_t first = 0;  ///< index in SnapshotStacks::frames()
  std::uint32_t count = 1;
  bool library = false;
};
/// Returns the parts of a stack, innermost first. O(frames).
std::vector<StackPart> stack_parts(const Snapshot& snapshot, StackId stack);

/// Returns the age of an allocation at `event` in events and, if recorded, in time: "1 204 events, 3.2 ms".
/// If it was made before the recording, the text states this instead.
std::string age_text(const SnapshotDevice& device, AllocationId id, EventIndex event);

}  // namespace kino
