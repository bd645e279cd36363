// The allocator's memory at one moment as nested rectangles: segments, and in each of them its blocks.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/memory/snapshot.hpp"

namespace kino {

/// Whether nothing is known of a device but its segments: the history was not recorded. O(entries) where
/// they are many markers and nothing else.
bool has_only_segments(const SnapshotDevice& device);

/// A rectangle whose area is in proportion to its bytes, y downwards.
struct TreemapBox {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  std::uint32_t segment = 0;  ///< in AllocatorLayout::segments; the first of them
  std::uint32_t block = 0;    ///< in AllocatorLayout::blocks; the first of them
  std::uint32_t count = 1;    ///< of segments or of blocks: what is too small for a box each has one together
  std::uint64_t bytes = 0;
  std::uint64_t used = 0;  ///< of it allocated or pending

  bool contains(double x, double y) const { return x >= left && x < right && y >= top && y < bottom; }
};

struct SegmentTreemap {
  std::vector<TreemapBox> segments;  ///< largest first
  std::vector<TreemapBox> blocks;    ///< of one segment after the other; they cover the segments
};

/// Squarified (Bruls, Huizing, van Wijk, 2000): rows along the shorter side, as nearly square as they get.
/// What has less than `least_area` is gathered. O(blocks * log blocks).
SegmentTreemap segment_treemap(const AllocatorLayout& layout, double width, double height, double least_area,
                               const std::stop_token& stop = {});
/// The block at a point, or null. O(boxes).
const TreemapBox* box_at(const SegmentTreemap& map, double x, double y);

}  // namespace kino
