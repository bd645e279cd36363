// Address ranges that were reserved over time: the segment entries, replayed backwards from the final
// segments.
#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/snapshot_history.hpp"

namespace kino {

/// Sorted by begin, then by address; spans are disjoint in address and time. The backward replay is correct
/// for truncated recordings. Memory that entries map, but that is neither unmapped nor in the final
/// segments, is assumed to stay. O(entries + segment entries * log).
std::vector<SegmentSpan> segment_spans(const SnapshotDevice& device);

inline constexpr std::uint32_t kNoSegment = 0xffffffffU;

/// Returns by allocation the index into AllocationHistory::segments that contained its first byte at its
/// begin, or kNoSegment. O(allocations * log segments).
std::vector<std::uint32_t> segments_of_allocations(const AllocationHistory& history);

}  // namespace kino
