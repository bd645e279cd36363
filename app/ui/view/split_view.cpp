#include "app/ui/view/split_view.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

constexpr float kPaneSplitterPx = 5;
constexpr float kLeastWidthPx = 420;
constexpr float kLeastHeightPx = 230;
constexpr std::int64_t kFarNs = 4'000'000'000'000'000'000;

}  // namespace

std::uint64_t SplitView::most_recent_but(std::uint64_t document) const {
  const auto found = std::ranges::find_if(recent_, [&](std::uint64_t other) { return other != document; });
  return found == recent_.end() ? 0 : *found;
}

void SplitView::follow(std::span<const std::uint64_t> open) {
  if (std::ranges::equal(open, open_)) return;
  open_.assign(open.begin(), open.end());
  std::unordered_set<std::uint64_t> fresh(open.begin(), open.end());
  std::erase_if(recent_, [&](std::uint64_t document) { return fresh.erase(document) == 0; });
  for (const std::uint64_t document : open) {
    if (fresh.contains(document)) recent_.push_back(document);
  }
}

void SplitView::sync(std::span<const std::uint64_t> open, std::uint64_t active) {
  const auto closed = [&](std::uint64_t document) { return std::ranges::find(open, document) == open.end(); };
  follow(open);
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
    active_pane_ = 1;  // the active document remains above
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
  fit = by_clock() ? unix_fit(first, second)
                   : fit->with_later_origins(saturating_subtract(now[0], origins_unix_ns[0]),
                                             saturating_subtract(now[1], origins_unix_ns[1]));
  origins_unix_ns = now;
}

std::int64_t TimeLink::moved_ns(std::size_t pane, std::int64_t ns) const {
  const std::int64_t moved = pane == 0 ? fit->second_from_first(ns) : fit->first_from_second(ns);
  return std::clamp(moved, -kFarNs, kFarNs);  // so that the length of a range fits into 64 bits
}

double TimeLink::converted_time(std::size_t pane, double ns) const {
  constexpr auto kFar = static_cast<double>(kFarNs);
  const double near = std::clamp(ns, -kFar, kFar);
  const double whole = std::floor(near);
  return static_cast<double>(moved_ns(pane, static_cast<std::int64_t>(whole))) + (near - whole);
}

TimeRange TimeLink::converted_range(std::size_t pane, const TimeRange& range) const {
  return {moved_ns(pane, range.begin_ns), moved_ns(pane, range.end_ns)};
}

TimeView TimeLink::converted_view(std::size_t pane, const TimeView& view, double width_px) const {
  const double rate = 1 + static_cast<double>(fit->drift_ppb) / 1e9;
  const double ns_per_px = view.ns_per_px * view.width_px / std::max(1.0, width_px);
  return {converted_time(pane, view.begin_ns), pane == 0 ? ns_per_px * rate : ns_per_px / rate, width_px};
}

ClockFit fit_of_edges(const TimeView& first, const TimeView& second) {
  constexpr auto kFar = static_cast<double>(kFarNs);
  const auto ns = [kFar](double value) {
    return static_cast<std::int64_t>(std::llround(std::clamp(value, -kFar, kFar)));
  };
  ClockFit fit;
  fit.offset_ns = ns(second.begin_ns - first.begin_ns);
  fit.around_ns = ns(first.begin_ns);
  fit.uncertainty_ns = ns(std::ceil(std::max(first.ns_per_px, second.ns_per_px)));
  fit.evidence = ClockEvidence::by_hand;
  return fit;
}

}  // namespace kino
