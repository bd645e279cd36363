// When which addresses were reserved: the segment entries of a device, undone from its final segments.
#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/snapshot_history.hpp"

namespace kino {

/// By begin, then by address; spans never overlap in addresses and events at once. Going backwards from the
/// segments at the end keeps a truncated recording right. What the entries map without being in the segments
/// at the end, and without being unmapped, is taken to stay. O(entries + segment entries * log).
std::vector<SegmentSpan> segment_spans(const SnapshotDevice& device);

inline constexpr std::uint32_t kNoSegment = 0xffffffffU;

/// By allocation: the one of AllocationHistory::segments that its first byte lay in when it began, or
/// kNoSegment. O(allocations * log segments).
std::vector<std::uint32_t> segments_of_allocations(const AllocationHistory& history);

}  // namespace kino
