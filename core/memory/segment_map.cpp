#include "core/memory/segment_map.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace kino {
namespace {

template <class Segment>
auto group_key(const Segment& segment) {
  return std::tuple(segment.pool, segment.stream, segment.small);
}

/// Arranges blocks on one line that is split into rows of `width`.
class RowFiller {
 public:
  RowFiller(SegmentMap& map, const AllocatorLayout& layout, double width)
      : map_(map), layout_(layout), width_(std::max(1.0, width)) {}

  void begin_row() {
    map_.row_begins.push_back(static_cast<std::uint32_t>(map_.boxes.size()));
    x_ = 0;
  }

  void add_segment(std::uint32_t number) {
    const LayoutSegment& segment = layout_.segments[number];
    if (x_ > 0 && x_ + kSegmentGapPx + 1 > width_) begin_row();
    if (x_ > 0) x_ += kSegmentGapPx;
    const std::size_t first_box = map_.boxes.size();
    // Very small segments get one pixel.
    const auto size = static_cast<double>(std::max<std::uint64_t>(1, segment.size));
    const double px_per_byte = std::max(1.0, size / map_.bytes_per_px) / size;
    gathered_ = {};
    gathered_used_ = 0;
    for (std::uint32_t b = segment.first_block; b < segment.first_block + segment.block_count; ++b)
      add_block(number, b, px_per_byte);
    flush();
    if (map_.boxes.size() == first_box) return;
    map_.boxes[first_box].first = true;
    map_.boxes.back().last = true;
  }

 private:
  void add_block(std::uint32_t segment, std::uint32_t number, double px_per_byte) {
    const LayoutBlock& block = layout_.blocks[number];
    const double length = static_cast<double>(block.size) * px_per_byte;
    if (length < 1) {
      gather(segment, number, length);
      return;
    }
    flush();
    const std::uint64_t asked = block.kind == LayoutKind::free ? block.size : block.requested;
    MapBox box;
    box.segment = segment;
    box.block = number;
    box.used_share = block.kind == LayoutKind::free ? 0 : 1;
    place(box, length, static_cast<double>(std::min(asked, block.size)) * px_per_byte);
  }

  // Adds a narrow block to the box of one pixel that it shares with its neighbors.
  void gather(std::uint32_t segment, std::uint32_t number, double length) {
    if (gathered_px_ == 0) {
      gathered_.segment = segment;
      gathered_.block = number;
      gathered_.count = 0;
    }
    ++gathered_.count;
    gathered_px_ += length;
    if (layout_.blocks[number].kind != LayoutKind::free) gathered_used_ += length;
    if (gathered_px_ >= 1) flush();
  }

  void flush() {
    if (gathered_px_ == 0) return;
    gathered_.used_share = gathered_used_ / gathered_px_;
    place(gathered_, gathered_px_, gathered_px_);
    gathered_ = {};
    gathered_px_ = gathered_used_ = 0;
  }

  // Adds a box, split at the ends of rows.
  void place(MapBox box, double length, double requested) {
    while (length > 0) {
      if (x_ >= width_) begin_row();
      const double part = std::min(length, width_ - x_);
      box.begin_px = x_;
      box.end_px = x_ + part;
      box.requested_end_px = x_ + std::clamp(requested, 0.0, part);
      map_.boxes.push_back(box);
      x_ = box.end_px;
      length -= part;
      requested -= part;
      if (length < 1e-6) break;
    }
  }

  SegmentMap& map_;
  const AllocatorLayout& layout_;
  double width_;
  double x_ = 0;
  MapBox gathered_;
  double gathered_px_ = 0;
  double gathered_used_ = 0;
};

void sum_up(SegmentGroup& group, const AllocatorLayout& layout, const LayoutSegment& segment) {
  ++group.segments;
  group.reserved += segment.size;
  for (const LayoutBlock& block : layout.blocks_of(segment)) {
    if (block.kind == LayoutKind::free) {
      group.largest_free = std::max(group.largest_free, block.size);
    } else {
      group.used += block.size;
    }
  }
}

}  // namespace

SegmentMap segment_map(const AllocatorLayout& layout, double width_px, double bytes_per_px,
                       const std::stop_token& stop) {
  SegmentMap map;
  map.bytes_per_px = std::max(1e-3, bytes_per_px);
  std::vector<std::uint32_t> order(layout.segments.size());
  std::iota(order.begin(), order.end(), 0U);
  // Segments are sorted by address within each group, because the sort is stable.
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return group_key(layout.segments[i]); });
  RowFiller filler(map, layout, width_px);
  for (const std::uint32_t i : order) {
    if (stop.stop_requested()) break;
    const LayoutSegment& segment = layout.segments[i];
    if (map.groups.empty() || group_key(map.groups.back()) != group_key(segment)) {
      map.groups.push_back({.pool = segment.pool,
                            .stream = segment.stream,
                            .small = segment.small,
                            .first_row = static_cast<std::uint32_t>(map.row_begins.size())});
      filler.begin_row();
    }
    SegmentGroup& group = map.groups.back();
    sum_up(group, layout, segment);
    filler.add_segment(i);
    group.row_count = static_cast<std::uint32_t>(map.row_begins.size()) - group.first_row;
  }
  map.row_begins.push_back(static_cast<std::uint32_t>(map.boxes.size()));
  return map;
}

const MapBox* box_at(const SegmentMap& map, std::size_t row, double x_px) {
  if (row >= map.rows()) return nullptr;
  const auto boxes = map.row(row);
  const auto after = std::ranges::upper_bound(boxes, x_px, {}, &MapBox::begin_px);
  if (after == boxes.begin()) return nullptr;
  const MapBox& box = *(after - 1);
  return x_px < box.end_px ? &box : nullptr;
}

std::size_t group_count(const AllocationHistory& history) {
  std::set<std::tuple<std::uint16_t, std::uint16_t, bool>> groups;
  for (const SegmentSpan& span : history.segments) groups.insert(group_key(span));
  return groups.size();
}

double bytes_per_px_to_fit(const AllocationHistory& history, double width_px, double rows) {
  const auto most = static_cast<double>(history.curve(MemoryCurve::reserved).peak.bytes);
  constexpr double kForGaps = 1.08;
  const double usable = std::max(1.0, rows - static_cast<double>(group_count(history)));
  return std::max(1.0, kForGaps * most / std::max(1.0, width_px) / usable);
}

}  // namespace kino
