#include "app/ui/view/overview_map.hpp"

#include <algorithm>
#include <cmath>

namespace kino {
namespace {

/// Shortest visible window that a drag can set, in px of the strip.
constexpr double kShortestPx = 0.5;

}  // namespace

double OverviewMap::ns_per_px() const {
  return std::max(1.0, static_cast<double>(content.length_ns())) / std::max(1.0, width_px);
}

double OverviewMap::px_from_ns(double ns) const {
  return (ns - static_cast<double>(content.begin_ns)) / ns_per_px();
}

double OverviewMap::ns_from_px(double px) const {
  return static_cast<double>(content.begin_ns) + px * ns_per_px();
}

Brush brush_of(const OverviewMap& map, const TimeSpan& visible, double scale) {
  const double least = std::min(Brush::kMinPx * scale, map.width_px);
  const double middle = std::clamp(map.px_from_ns((visible.begin_ns + visible.end_ns) / 2), least / 2,
                                   std::max(least / 2, map.width_px - least / 2));
  Brush brush;
  brush.left_px = std::clamp(map.px_from_ns(visible.begin_ns), 0.0, map.width_px);
  brush.right_px = std::clamp(map.px_from_ns(visible.end_ns), 0.0, map.width_px);
  if (brush.right_px - brush.left_px < least) {
    brush.left_px = middle - least / 2;
    brush.right_px = middle + least / 2;
  }
  return brush;
}

BrushPart brush_part_at(const OverviewMap& map, const TimeSpan& visible, double px, double scale) {
  const Brush brush = brush_of(map, visible, scale);
  const double handle = OverviewDrag::kHandlePx * scale;
  const double length = brush.right_px - brush.left_px;
  const double inward = std::min(handle, length / 4);
  if (px >= brush.left_px - handle && px <= brush.left_px + inward) return BrushPart::left_handle;
  if (px >= brush.right_px - inward && px <= brush.right_px + handle) return BrushPart::right_handle;
  const bool fills = length >= map.width_px - 2 * handle;
  return !fills && px > brush.left_px && px < brush.right_px ? BrushPart::inside : BrushPart::outside;
}

void OverviewDrag::press(const OverviewMap& map, const TimeSpan& visible, double px, double scale) {
  at_press_ = visible;
  pressed_px_ = px;
  scale_ = scale;
  part_ = brush_part_at(map, visible, px, scale);
  active_ = true;
  moved_ = false;
}

TimeSpan OverviewDrag::marked(const OverviewMap& map, double px) const {
  const double a = std::clamp(pressed_px_, 0.0, map.width_px);
  const double b = std::clamp(px, 0.0, map.width_px);
  return {map.ns_from_px(std::min(a, b)), map.ns_from_px(std::max(a, b))};
}

OverviewDrag::Answer OverviewDrag::move(const OverviewMap& map, double px) {
  if (!active_) return {};
  moved_ = moved_ || std::abs(px - pressed_px_) >= kThresholdPx * scale_;
  if (!moved_ || part_ == BrushPart::outside) return {};
  // A window inside the content remains inside.
  const double lowest = std::min(0.0, static_cast<double>(map.content.begin_ns) - at_press_.begin_ns);
  const double highest = std::max(0.0, static_cast<double>(map.content.end_ns) - at_press_.end_ns);
  const double way = (px - pressed_px_) * map.ns_per_px();
  const double shortest = std::min(kShortestPx * map.ns_per_px(), at_press_.length_ns());
  TimeSpan visible = at_press_;
  if (part_ == BrushPart::left_handle) {
    visible.begin_ns += std::clamp(way, lowest, at_press_.length_ns() - shortest);
  } else if (part_ == BrushPart::right_handle) {
    visible.end_ns += std::clamp(way, shortest - at_press_.length_ns(), highest);
  } else {
    const double inside = std::clamp(way, lowest, highest);
    visible.begin_ns += inside;
    visible.end_ns += inside;
  }
  return {true, visible};
}

OverviewDrag::Answer OverviewDrag::release(const OverviewMap& map, double px) {
  if (!active_) return {};
  Answer answer = move(map, px);
  active_ = false;
  if (part_ != BrushPart::outside) return answer;
  if (moved_) {
    answer = {true, marked(map, px)};
    answer.changed = answer.visible.length_ns() > 0;
    return answer;
  }
  // Do not move if (nearly) everything is visible already.
  if (at_press_.length_ns() >= 0.9 * static_cast<double>(map.content.length_ns())) return {};
  const double middle = map.ns_from_px(std::clamp(px, 0.0, map.width_px));
  const double half = at_press_.length_ns() / 2;
  const double centre = std::clamp(middle, static_cast<double>(map.content.begin_ns) + half,
                                   static_cast<double>(map.content.end_ns) - half);
  return {true, {centre - half, centre + half}};
}

}  // namespace kino
