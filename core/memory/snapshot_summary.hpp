// Sums over a device of a snapshot: its segments at the end, what is largest at an event, whose frame it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/library_frames.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// The segments as the file has them, at the end of the recording.
struct SegmentSummary {
  std::uint64_t count = 0;
  std::uint64_t reserved = 0;
  std::uint64_t allocated = 0;
  std::uint64_t active = 0;
  std::uint64_t requested_allocated = 0;  ///< of allocated blocks
  std::uint64_t pending_free = 0;         ///< of blocks whose free is pending, rounded
  std::uint64_t inactive = 0;
  std::uint64_t blocks = 0;
  std::uint64_t small = 0;  ///< segments of each kind
  std::uint64_t large = 0;
  std::uint64_t expandable = 0;
  std::uint64_t fully_free = 0;
  std::uint64_t largest_free_block = 0;
  double free_squares = 0;  ///< as in Fragmentation
};
SegmentSummary summarize_segments(const SnapshotDevice& device);

/// The `most` largest of what is live after `event`, by size and then in the order of the file. O(live * log
/// most).
std::vector<AllocationId> largest_at(const SnapshotDevice& device, EventIndex event, std::size_t most);

/// The innermost frame that a Python file has, and the innermost that is the user's: of no library of
/// Snapshot::libraries. kNoFrame if there is none. O(frames).
inline constexpr FrameId kNoFrame{0xffffffffU};
FrameId python_frame(const Snapshot& snapshot, StackId stack);
FrameId user_frame(const Snapshot& snapshot, StackId stack);
/// The innermost but those of C++ that take the stack.
FrameId top_frame(const Snapshot& snapshot, StackId stack);
/// Where the free of an allocation was asked for; kNoStack while it lives, and where the recording has the
/// stack of the allocation instead (context="state" and "alloc" of PyTorch). O(1).
StackId stack_of_free(const SnapshotDevice& device, AllocationId id);

/// Whether older events were probably overwritten: something is older than the recording, and it holds a
/// number of events that people give a ring buffer, thousands or a power of two.
bool ring_was_full(const SnapshotDevice& device);

/// Whether an entry changes what is live or reserved. Else only the state at one moment is known, and "peak"
/// means nothing. O(entries), often O(1).
bool has_history(const SnapshotDevice& device);

/// A contradiction at the peak: more memory is requested than reserved.
struct ReservedGap {
  std::uint64_t requested = 0;
  std::uint64_t reserved = 0;
  std::uint64_t live = 0;           ///< allocations
  std::uint64_t outside = 0;        ///< of these, in no segment that the file has
  std::uint64_t outside_bytes = 0;  ///< their requested bytes
};
/// Nothing where the peak fits, or where reserved memory is not known at all. O(live * log segments).
std::optional<ReservedGap> reserved_gap(const SnapshotDevice& device);
/// Sentences on it.
Message text_of(const ReservedGap& gap, ByteUnits units);

/// "file:line:name".
std::string text_of(const Snapshot& snapshot, FrameId id);

}  // namespace kino
