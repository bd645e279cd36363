// Map of the allocator's memory at an event: segments as boxes in rows of equal scale.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/memory/snapshot_history.hpp"

namespace kino {

/// Segments that serve the same requests: those of one pool and one stream, for large or for small blocks.
struct SegmentGroup {
  std::uint16_t pool = 0;
  std::uint16_t stream = 0;
  bool small = false;
  std::uint32_t segments = 0;
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;  ///< allocated and pending bytes, with rounding
  std::uint64_t largest_free = 0;
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
};

/// Part of a row: a block, a part of a block, or several blocks that are too narrow for separate boxes.
struct MapBox {
  double begin_px = 0;
  double end_px = 0;
  double requested_end_px = 0;  ///< end of the requested bytes; the rest is rounding
  std::uint32_t segment = 0;    ///< index into AllocatorLayout::segments
  std::uint32_t block = 0;      ///< index into AllocatorLayout::blocks; the first block
  std::uint32_t count = 1;      ///< number of blocks
  double used_share = 0;        ///< share of used bytes, if the box has several blocks
  bool first = false;           ///< the segment begins here
  bool last = false;            ///< the segment ends here
};

struct SegmentMap {
  double bytes_per_px = 1;
  std::vector<SegmentGroup> groups;  ///< sorted by pool, stream, and large before small
  std::vector<MapBox> boxes;         ///< row by row, from the left
  std::vector<std::uint32_t> row_begins;

  std::size_t rows() const { return row_begins.empty() ? 0 : row_begins.size() - 1; }
  std::span<const MapBox> row(std::size_t index) const {
    return std::span(boxes).subspan(row_begins[index], row_begins[index + 1] - row_begins[index]);
  }
};

/// Gap between adjacent segments in a row.
inline constexpr double kSegmentGapPx = 3;

/// Builds the map. Segments are sorted by address within their group; a segment that exceeds the rest of a
/// row continues in the next row. A segment is at least one pixel wide. O(segments * log segments + blocks +
/// boxes).
SegmentMap segment_map(const AllocatorLayout& layout, double width_px, double bytes_per_px,
                       const std::stop_token& stop = {});
/// Returns the box at a position, or null. O(log boxes).
const MapBox* box_at(const SegmentMap& map, std::size_t row, double x_px);

/// Returns the scale at which the peak of reserved memory fills about `rows` rows, including partly filled
/// rows at the end of groups. The scale is the same at every event. O(spans * log).
double bytes_per_px_to_fit(const AllocationHistory& history, double width_px, double rows);
/// Returns the number of segment groups in the whole recording. O(spans * log).
std::size_t group_count(const AllocationHistory& history);

}  // namespace kino
