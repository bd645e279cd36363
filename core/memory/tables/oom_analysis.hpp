// Analysis of an out-of-memory error: memory at the error, changes that would have let the request fit, and
// code that held the memory.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/memory/allocator_settings.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/snapshot_summary.hpp"

namespace kino {

/// Hypothetical change that would have let the request fit, the smallest change first.
enum class OomRemedy : std::uint8_t {
  one_piece,      ///< if free memory of the request's pool, stream and size class were contiguous
  other_streams,  ///< if a free block of another stream could serve the request
  pending_done,   ///< if pending frees had completed and all free memory had been released
  other_pools,    ///< if free memory of other pools had been released
  all_returned,   ///< if all free memory in segments had been released
  without_place,  ///< if all free memory had been released and one large place had held no memory
};

/// Memory held by one place of the code: all stacks with the same place_frame().
struct OomPlace {
  FrameId frame = kNoFrame;  ///< result of place_frame(); kNoFrame if there are no stacks
  AllocationId largest = kNoAllocation;
  std::uint32_t count = 0;
  std::uint64_t bytes = 0;
  bool of_free = false;  ///< older than the recording, so the frame is that of the free
};

/// A single change that would have been sufficient.
struct OomFix {
  OomRemedy remedy{};
  std::uint64_t bytes = 0;  ///< memory made available: free or pending memory, or the memory of `place`
  OomPlace place;           ///< place, for OomRemedy::without_place
};

/// Setting that would help: expandable segments release free memory page by page before memory runs out.
struct OomSetting {
  SettingState expandable_segments = SettingState::unknown;  ///< setting of the run
  std::string line;  ///< shell assignment that enables expandable segments; empty if they were on
};

struct OomAnalysis {
  EventIndex event = kBeforeRecording;
  std::uint64_t asked = 0;
  std::uint64_t device_free = 0;  ///< free memory outside of the allocator, as reported by the driver
  std::uint64_t active = 0;       ///< requested bytes
  Fragmentation memory;
  std::uint64_t own_free = 0;          ///< free memory in segments of its pool, stream and size class
  std::uint64_t own_largest_free = 0;  ///< largest free block of own_free
  std::uint64_t private_reserved = 0;  ///< memory reserved by pools other than the default pool
  std::uint64_t private_free = 0;
  std::vector<OomFix> ways;           ///< by remedy, then the smallest place first; empty if none suffices
  std::optional<OomSetting> setting;  ///< set if free memory was sufficient but fragmented
  std::uint64_t missing = 0;          ///< bytes still missing if all free and pending memory were released
  std::vector<OomPlace> places;       ///< the places with the most memory, at most kOomPlaces
};
inline constexpr std::size_t kOomPlaces = 5;

/// Returns the memory that each place holds after `event`, largest first. O(live + frames of distinct
/// stacks).
std::vector<OomPlace> live_places(const Snapshot& snapshot, const SnapshotDevice& device, EventIndex event);

/// Analyzes one error. `event` must be an oom entry. O(live * log live + frames of distinct stacks).
OomAnalysis analyze_oom(const Snapshot& snapshot, const SnapshotDevice& device, EventIndex event);
/// Analyzes the first `most` errors of the device. Takes O(entries) in addition.
std::vector<OomAnalysis> analyze_ooms(const Snapshot& snapshot, const SnapshotDevice& device,
                                      std::size_t most, const std::stop_token& stop = {});

}  // namespace kino
