// Treemap of the allocator's memory at one event: segments, and the blocks inside of each segment.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/memory/snapshot.hpp"

namespace kino {

/// Returns whether a device has segments but no history, that is, no entries except snapshot entries.
/// O(entries).
bool has_only_segments(const SnapshotDevice& device);

/// Rectangle with an area in proportion to its bytes; y points down.
struct TreemapBox {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  std::uint32_t segment = 0;  ///< index into AllocatorLayout::segments; the first segment
  std::uint32_t block = 0;    ///< index into AllocatorLayout::blocks; the first block
  std::uint32_t count = 1;    ///< number of segments or blocks; above 1: small ones that share the box
  std::uint64_t bytes = 0;
  std::uint64_t used = 0;  ///< allocated or pending part of `bytes`

  bool contains(double x, double y) const { return x >= left && x < right && y >= top && y < bottom; }
};

struct SegmentTreemap {
  std::vector<TreemapBox> segments;  ///< largest first
  std::vector<TreemapBox> blocks;    ///< grouped by segment; they fill the segments' boxes
};

/// Builds a squarified treemap (Bruls, Huizing, van Wijk, 2000). Items with an area below `least_area` share
/// a box. O(blocks * log blocks).
SegmentTreemap segment_treemap(const AllocatorLayout& layout, double width, double height, double least_area,
                               const std::stop_token& stop = {});
/// Returns the block at a point, or null. O(boxes).
const TreemapBox* box_at(const SegmentTreemap& map, double x, double y);

}  // namespace kino
