// Sums over a device of a snapshot: final segments, largest live allocations, and frames of stacks.
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

/// Sums over the final segments in the file.
struct SegmentSummary {
  std::uint64_t count = 0;
  std::uint64_t reserved = 0;
  std::uint64_t allocated = 0;
  std::uint64_t active = 0;
  std::uint64_t requested_allocated = 0;  ///< requested bytes of allocated blocks
  std::uint64_t pending_free = 0;         ///< rounded bytes of blocks with a pending free
  std::uint64_t inactive = 0;
  std::uint64_t blocks = 0;
  std::uint64_t small = 0;  ///< segments for small blocks
  std::uint64_t large = 0;
  std::uint64_t expandable = 0;
  std::uint64_t fully_free = 0;
  std::uint64_t largest_free_block = 0;
  double free_squares = 0;  ///< see Fragmentation::free_squares
};
SegmentSummary summarize_segments(const SnapshotDevice& device);

/// Returns the `most` largest live allocations after `event`, sorted by size, then in the order of the file.
/// O(live * log most).
std::vector<AllocationId> largest_at(const SnapshotDevice& device, EventIndex event, std::size_t most);

/// Return the innermost Python frame, and the innermost user frame, which is a Python frame in no library of
/// Snapshot::libraries. kNoFrame if there is none. O(frames).
inline constexpr FrameId kNoFrame{0xffffffffU};
FrameId python_frame(const Snapshot& snapshot, StackId stack);
FrameId user_frame(const Snapshot& snapshot, StackId stack);
/// Returns the innermost frame that is not a C++ frame of the stack capture itself; kNoFrame if there is
/// none.
FrameId top_frame(const Snapshot& snapshot, StackId stack);
/// Returns the stack of the free request. kNoStack if the allocation has no free, or if the recording
/// contains the stack of the allocation instead (context="state" and "alloc" of PyTorch). O(1).
StackId stack_of_free(const SnapshotDevice& device, AllocationId id);

/// Returns whether older events were probably overwritten: there are older allocations, and the number of
/// events is typical for a ring buffer. Typical numbers are at least 1,000, and a multiple of a thousand or a
/// power of two.
bool ring_was_full(const SnapshotDevice& device);

/// Returns whether any entry changes live or reserved memory. Otherwise only one state is known, and there is
/// no peak. O(entries), often O(1).
bool has_history(const SnapshotDevice& device);

/// Returns whether the history lacks older events, because it began late or its ring buffer was full, or all
/// events of some kind. False without a history. O(entries), often O(1).
bool lacks_events(const SnapshotDevice& device);

/// Inconsistency at the peak: requested memory exceeds reserved memory.
struct ReservedGap {
  std::uint64_t requested = 0;
  std::uint64_t reserved = 0;
  std::uint64_t live = 0;           ///< number of live allocations
  std::uint64_t outside = 0;        ///< number of live allocations in no segment of the file
  std::uint64_t outside_bytes = 0;  ///< requested bytes of the allocations in no segment
};
/// Returns the inconsistency at the peak; nullopt if there is none, or if reserved memory is unknown. O(live
/// * log segments).
std::optional<ReservedGap> reserved_gap(const SnapshotDevice& device);
/// Returns sentences that describe the inconsistency.
Message text_of(const ReservedGap& gap, ByteUnits units);

/// Returns a frame as "file:line:name", or as "name" if the file is unknown; empty for kNoFrame.
std::string text_of(const Snapshot& snapshot, FrameId id);

}  // namespace kino
