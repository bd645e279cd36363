// Address ranges that were reserved over time, from a backward replay of the segment entries that starts with
// the final segments.
#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/snapshot_history.hpp"

namespace kino {

/// Returns spans sorted by start, then by address. No two spans overlap in both address and time. A backward
/// replay is also correct for truncated recordings. Memory that entries map, but that is neither unmapped nor
/// in the final segments, is assumed to remain. O(entries + segment entries * log).
std::vector<SegmentSpan> segment_spans(const SnapshotDevice& device);

inline constexpr std::uint32_t kNoSegment = 0xffffffffU;

/// Returns an index into AllocationHistory::segments per allocation: the span that contained the first byte
/// of the allocation when it was allocated, or kNoSegment. O(allocations * log segments).
std::vector<std::uint32_t> segments_of_allocations(const AllocationHistory& history);

}  // namespace kino
