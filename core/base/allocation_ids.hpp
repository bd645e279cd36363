// Ids of allocations and allocator events of a snapshot.
#pragma once

#include <cstdint>
#include <limits>

namespace kino {

/// Index of an allocator event of a device. The state "at event e" is the state after event e.
using EventIndex = std::int32_t;
inline constexpr EventIndex kBeforeRecording = -1;
inline constexpr EventIndex kNever = std::numeric_limits<EventIndex>::max();

/// Index into AllocationHistory::allocations.
enum class AllocationId : std::uint32_t {};
inline constexpr AllocationId kNoAllocation{0xffffffffU};

}  // namespace kino
