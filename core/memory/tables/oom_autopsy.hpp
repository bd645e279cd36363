// Why an out-of-memory error happened: what there was, what would have made the request fit, who held the
// memory.
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

/// What could have been otherwise, the smallest change first.
enum class OomRemedy : std::uint8_t {
  one_piece,      ///< the free memory of its own pool and stream were one piece: fragmentation
  other_streams,  ///< a free piece that belongs to another stream had served it
  pending_done,   ///< frees that still waited for a stream had been completed, and that memory returned
  other_pools,    ///< what is free in other pools had gone back to the device
  all_returned,   ///< all that is free in segments had gone back to the device
  place_gone,     ///< that, and one place of the code had held nothing
};

/// What one place of the code holds: all stacks whose frame that says most is the same.
struct OomPlace {
  FrameId frame =
      kNoFrame;  ///< the innermost of the user's, else of Python, else of C++; kNoFrame without stacks
  AllocationId largest = kNoAllocation;
  std::uint32_t count = 0;
  std::uint64_t bytes = 0;
  bool of_free = false;  ///< older than the recording: the frame is where it was freed later
};

/// A single change that would have been enough.
struct OomWay {
  OomRemedy remedy{};
  std::uint64_t bytes = 0;  ///< what it brings: free, pending, or the place's
  OomPlace place;           ///< of place_gone
};

/// Expandable segments give back what is free page by page, before memory runs out.
struct OomSetting {
  SettingState expandable_segments = SettingState::unknown;  ///< of the run
  std::string line;  ///< what sets them besides what the run has set; empty where they were on
};

struct OomAutopsy {
  EventIndex event = kBeforeRecording;
  std::uint64_t asked = 0;
  std::uint64_t device_free = 0;  ///< outside of the allocator, as the driver said
  std::uint64_t active = 0;       ///< requested bytes
  Fragmentation memory;
  std::uint64_t own_free = 0;          ///< in segments of its pool and stream that take requests of its size
  std::uint64_t own_largest_free = 0;  ///< the largest piece of that
  std::uint64_t private_reserved = 0;  ///< in pools that are not the default one
  std::uint64_t private_free = 0;
  std::vector<OomWay> ways;           ///< by remedy, then the smallest place first; empty when none is enough
  std::optional<OomSetting> setting;  ///< where free memory that lay in pieces would have been enough
  std::uint64_t missing = 0;          ///< with all that is free or pending returned to the device
  std::vector<OomPlace> places;       ///< those that hold most, at most kOomPlaces of them
};
inline constexpr std::size_t kOomPlaces = 5;

/// What each place holds after `event`, the one that holds most first. O(live + frames of distinct stacks).
std::vector<OomPlace> live_places(const Snapshot& snapshot, const SnapshotDevice& device, EventIndex event);

/// `event` is an entry of the kind oom. O(live * log live + frames of distinct stacks).
OomAutopsy oom_autopsy(const Snapshot& snapshot, const SnapshotDevice& device, EventIndex event);
/// Of the first `most` OOMs of the device; fewer when stopped. O(entries) besides.
std::vector<OomAutopsy> oom_autopsies(const Snapshot& snapshot, const SnapshotDevice& device,
                                      std::size_t most, const std::stop_token& stop = {});

}  // namespace kino
