#include "core/memory/segment_treemap.hpp"

#include <algorithm>
#include <span>

namespace kino {
namespace {

/// Arranges boxes in a rectangle. The boxes must be sorted by `bytes`, largest first.
class Squarifier {
 public:
  Squarifier(std::span<TreemapBox> boxes, const TreemapBox& within) : boxes_(boxes), left_(within) {
    double bytes = 0;
    for (const TreemapBox& box : boxes) bytes += static_cast<double>(box.bytes);
    area_per_byte_ = bytes > 0 ? width() * height() / bytes : 0;
  }

  void run() {
    std::size_t first = 0;
    while (first < boxes_.size()) {
      const double side = std::min(width(), height());
      const double largest = area(first);
      double sum = largest;
      std::size_t end = first + 1;
      double worst = worst_ratio(largest, largest, sum, side);
      for (; end < boxes_.size(); ++end) {
        const double longer = worst_ratio(largest, area(end), sum + area(end), side);
        if (longer > worst) break;
        worst = longer;
        sum += area(end);
      }
      lay_row(first, end, sum);
      first = end;
    }
  }

 private:
  double width() const { return left_.right - left_.left; }
  double height() const { return left_.bottom - left_.top; }
  double area(std::size_t i) const { return static_cast<double>(boxes_[i].bytes) * area_per_byte_; }

  /// Returns the worst aspect ratio in a row with the total area `sum` and the given largest and smallest
  /// area.
  static double worst_ratio(double largest, double smallest, double sum, double side) {
    if (smallest <= 0 || side <= 0) return 1e300;
    return std::max(side * side * largest / (sum * sum), sum * sum / (side * side * smallest));
  }

  /// Places a row along the shorter side of the remaining rectangle. The last row fills the rectangle.
  void lay_row(std::size_t first, std::size_t end, double sum) {
    const bool upright = width() >= height();  // whether the boxes form a column at the left
    const double side = upright ? height() : width();
    const bool last = end == boxes_.size();
    const double thick = last ? std::max(width(), height()) : side > 0 ? sum / side : 0;
    double at = upright ? left_.top : left_.left;
    const double stop = at + side;
    for (std::size_t i = first; i < end; ++i) {
      const double length = sum > 0 ? side * area(i) / sum : 0;
      const double to = i + 1 == end ? stop : std::min(stop, at + length);
      TreemapBox& box = boxes_[i];
      box.left = upright ? left_.left : at;
      box.top = upright ? at : left_.top;
      box.right = upright ? std::min(left_.right, left_.left + thick) : to;
      box.bottom = upright ? to : std::min(left_.bottom, left_.top + thick);
      at = to;
    }
    (upright ? left_.left : left_.top) += thick;
    left_.left = std::min(left_.left, left_.right);
    left_.top = std::min(left_.top, left_.bottom);
  }

  std::span<TreemapBox> boxes_;
  TreemapBox left_;  // rectangle that remains without boxes
  double area_per_byte_ = 0;
};

/// Sorts boxes by size, largest first, and joins the boxes below `least_bytes` if there are several. Removes
/// empty boxes.
void gather(std::vector<TreemapBox>& boxes, double least_bytes) {
  std::erase_if(boxes, [](const TreemapBox& box) { return box.bytes == 0; });
  std::ranges::stable_sort(boxes, std::ranges::greater(), &TreemapBox::bytes);
  const auto small = std::ranges::find_if(
      boxes, [&](const TreemapBox& box) { return static_cast<double>(box.bytes) < least_bytes; });
  if (boxes.end() - small < 2) return;
  TreemapBox rest = *small;
  for (auto box = small + 1; box != boxes.end(); ++box) {
    rest.count += box->count;
    rest.bytes += box->bytes;
    rest.used += box->used;
  }
  boxes.erase(small, boxes.end());
  boxes.insert(std::ranges::upper_bound(boxes, rest.bytes, std::ranges::greater(), &TreemapBox::bytes), rest);
}

TreemapBox box_of(const LayoutBlock& block, std::uint32_t segment, std::uint32_t number) {
  TreemapBox box;
  box.segment = segment;
  box.block = number;
  box.bytes = block.size;
  box.used = block.kind == LayoutKind::free ? 0 : block.size;
  return box;
}

}  // namespace

bool has_only_segments(const SnapshotDevice& device) {
  const auto actions = device.entries.action.span();
  const auto tells = [](SnapshotAction action) { return action != SnapshotAction::snapshot; };
  return !device.segments.empty() && std::ranges::none_of(actions, tells);
}

SegmentTreemap segment_treemap(const AllocatorLayout& layout, double width, double height, double least_area,
                               const std::stop_token& stop) {
  SegmentTreemap map;
  double total = 0;
  for (std::uint32_t s = 0; s < layout.segments.size(); ++s) {
    const LayoutSegment& segment = layout.segments[s];
    TreemapBox box;
    box.segment = s;
    box.block = segment.first_block;
    for (const LayoutBlock& block : layout.blocks_of(segment)) {
      box.bytes += block.size;
      box.used += block.kind == LayoutKind::free ? 0 : block.size;
    }
    total += static_cast<double>(box.bytes);
    map.segments.push_back(box);
  }
  if (total <= 0 || width <= 0 || height <= 0) return {};
  const double least_bytes = least_area * total / (width * height);
  gather(map.segments, least_bytes);
  Squarifier(map.segments, {.right = width, .bottom = height}).run();
  std::vector<TreemapBox> blocks;
  for (const TreemapBox& segment : map.segments) {
    if (stop.stop_requested()) return {};
    blocks.clear();
    if (segment.count > 1) {
      blocks.push_back(segment);
    } else {
      const LayoutSegment& layout_segment = layout.segments[segment.segment];
      for (std::uint32_t b = layout_segment.first_block;
           b < layout_segment.first_block + layout_segment.block_count; ++b)
        blocks.push_back(box_of(layout.blocks[b], segment.segment, b));
      gather(blocks, least_bytes);
      Squarifier(blocks, segment).run();
    }
    map.blocks.insert(map.blocks.end(), blocks.begin(), blocks.end());
  }
  return map;
}

const TreemapBox* box_at(const SegmentTreemap& map, double x, double y) {
  const auto found =
      std::ranges::find_if(map.blocks, [&](const TreemapBox& box) { return box.contains(x, y); });
  return found == map.blocks.end() ? nullptr : &*found;
}

}  // namespace kino
