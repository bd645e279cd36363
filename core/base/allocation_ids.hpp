// What allocations and moments of an allocator snapshot are called by.
#pragma once

#include <cstdint>
#include <limits>

namespace kino {

/// Index of an entry of the device. Time stands still between entries: the state "at event e" is the one
/// after it.
using EventIndex = std::int32_t;
inline constexpr EventIndex kBeforeRecording = -1;
inline constexpr EventIndex kNever = std::numeric_limits<EventIndex>::max();

/// Number of an allocation in AllocationHistory::allocations.
enum class AllocationId : std::uint32_t {};
inline constexpr AllocationId kNoAllocation{0xffffffffU};

}  // namespace kino
