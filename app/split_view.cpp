#include "app/split_view.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/saturating.hpp"

namespace kino {
namespace {

constexpr float kPaneSplitterPx = 5;
constexpr float kLeastWidthPx = 420;
constexpr float kLeastHeightPx = 230;

}  // namespace

std::uint64_t SplitView::most_recent_but(std::uint64_t document) const {
  const auto found = std::ranges::find_if(recent_, [&](std::uint64_t other) { return other != document; });
  return found == recent_.end() ? 0 : *found;
}

void SplitView::sync(std::span<const std::uint64_t> open, std::uint64_t active) {
  const auto closed = [&](std::uint64_t document) { return std::ranges::find(open, document) == open.end(); };
  std::erase_if(recent_, closed);
  for (const std::uint64_t document : open) {
    if (std::ranges::find(recent_, document) == recent_.end()) recent_.push_back(document);
  }
  if (active == 0) {
    *this = SplitView();
    return;
  }
  std::erase(recent_, active);
  recent_.insert(recent_.begin(), active);
  if (recent_.size() < 2) mode_ = SplitMode::one;
  if (mode_ == SplitMode::one) {
    active_pane_ = 0;
    panes_ = {active, most_recent_but(active)};
    return;
  }
  std::uint64_t& other = panes_[1 - active_pane_];
  if (active == other) {
    active_pane_ = 1 - active_pane_;
  } else {
    panes_[active_pane_] = active;
  }
  std::uint64_t& beside = panes_[1 - active_pane_];
  if (beside == active || closed(beside)) beside = most_recent_but(active);
}

void SplitView::cycle() {
  if (!available()) return;
  mode_ = mode_ == SplitMode::one       ? SplitMode::stacked
          : mode_ == SplitMode::stacked ? SplitMode::side_by_side
                                        : SplitMode::one;
  if (mode_ == SplitMode::stacked) {
    active_pane_ = 0;
    panes_ = {recent_[0], recent_[1]};
  }
}

void SplitView::show_beside(std::uint64_t document) {
  const bool open = std::ranges::find(recent_, document) != recent_.end();
  if (!open || recent_.empty() || recent_[0] == document) return;
  if (mode_ == SplitMode::one) {
    mode_ = SplitMode::stacked;
    active_pane_ = 1;  // what was there stays above
  }
  panes_[active_pane_] = recent_[0];
  panes_[1 - active_pane_] = document;
}

void SplitView::set_share(float share) { share_ = std::clamp(share, kLeastShare, 1 - kLeastShare); }

std::optional<SplitBoxes> split_boxes(const Box& area, SplitMode mode, float share, float ui_scale) {
  const bool stacked = mode == SplitMode::stacked;
  const float splitter = std::round(kPaneSplitterPx * ui_scale);
  const float whole = (stacked ? area.height() : area.width()) - splitter;
  const float least = std::round((stacked ? kLeastHeightPx : kLeastWidthPx) * ui_scale);
  if (whole < 2 * least) return std::nullopt;
  const float first = std::round(std::clamp(share * whole, least, whole - least));
  SplitBoxes boxes{{area, area}, area};
  if (stacked) {
    boxes.panes[0].bottom = boxes.splitter.top = area.top + first;
    boxes.panes[1].top = boxes.splitter.bottom = area.top + first + splitter;
  } else {
    boxes.panes[0].right = boxes.splitter.left = area.left + first;
    boxes.panes[1].left = boxes.splitter.right = area.left + first + splitter;
  }
  return boxes;
}

void TimeLink::follow(const ClockRange& first, const ClockRange& second) {
  const std::array<std::int64_t, 2> now{first.origin_unix_ns, second.origin_unix_ns};
  if (kind == LinkKind::clock) {
    offset_ns = static_cast<double>(clock_offset_ns(first, second));
  } else {
    offset_ns += static_cast<double>(saturating_subtract(now[0], origins_unix_ns[0])) -
                 static_cast<double>(saturating_subtract(now[1], origins_unix_ns[1]));
  }
  origins_unix_ns = now;
}

TimeView moved_view(const TimeView& view, double offset_ns, double width_px) {
  return {view.begin_ns + offset_ns, view.ns_per_px * view.width_px / std::max(1.0, width_px), width_px};
}

TimeRange moved_range(const TimeRange& range, double offset_ns) {
  constexpr double kFar = 4e18;
  const auto moved = [&](std::int64_t ns) {
    return static_cast<std::int64_t>(
        std::llround(std::clamp(static_cast<double>(ns) + offset_ns, -kFar, kFar)));
  };
  return {moved(range.begin_ns), moved(range.end_ns)};
}

}  // namespace kino
