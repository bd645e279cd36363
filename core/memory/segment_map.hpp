// The allocator's memory at an event as a picture: segments one behind the other in rows of one scale.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/memory/snapshot_history.hpp"

namespace kino {

/// Segments that serve the same requests: of one pool, one stream, and of large or small blocks.
struct SegmentGroup {
  std::uint16_t pool = 0;
  std::uint16_t stream = 0;
  bool small = false;
  std::uint32_t segments = 0;
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;  ///< allocated and pending, with rounding
  std::uint64_t largest_free = 0;
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
};

/// A part of a row: a block or a piece of it, or neighbours that are too narrow for one box each.
struct MapBox {
  double begin_px = 0;
  double end_px = 0;
  double requested_end_px = 0;  ///< what is behind it is rounding
  std::uint32_t segment = 0;    ///< in AllocatorLayout::segments
  std::uint32_t block = 0;      ///< in AllocatorLayout::blocks; the first of them
  std::uint32_t count = 1;      ///< of blocks
  double used_share = 0;        ///< of the bytes of several
  bool first = false;           ///< the segment begins here
  bool last = false;            ///< the segment ends here
};

struct SegmentMap {
  double bytes_per_px = 1;
  std::vector<SegmentGroup> groups;  ///< by pool, stream, and small ones last
  std::vector<MapBox> boxes;         ///< row by row, from the left
  std::vector<std::uint32_t> row_begins;

  std::size_t rows() const { return row_begins.empty() ? 0 : row_begins.size() - 1; }
  std::span<const MapBox> row(std::size_t index) const {
    return std::span(boxes).subspan(row_begins[index], row_begins[index + 1] - row_begins[index]);
  }
};

/// A gap of this width stands between neighbours in a row.
inline constexpr double kSegmentGapPx = 3;

/// Segments by address within their group; one that is longer than what is left of a row goes on in the next.
/// Widths are at least a pixel, so very small segments look larger than they are. O(segments * log segments +
/// blocks + boxes).
SegmentMap segment_map(const AllocatorLayout& layout, double width_px, double bytes_per_px,
                       const std::stop_token& stop = {});
/// The box at a position, or null. O(log boxes).
const MapBox* box_at(const SegmentMap& map, std::size_t row, double x_px);

/// The scale at which all that the device ever had reserved at once fills about `rows` rows, those that
/// groups leave half empty included. The same at every event, so that scrubbing does not change it. O(spans *
/// log).
double bytes_per_px_to_fit(const AllocationHistory& history, double width_px, double rows);
/// How many groups the device has in the whole recording. O(spans * log).
std::size_t group_count(const AllocationHistory& history);

}  // namespace kino
