#include "app/ui/view/view_history.hpp"

#include <algorithm>
#include <cmath>

namespace kino {
namespace {

/// Whether two views show the same place. Both edges must be at most half a pixel apart. If the width
/// differs, the start must be equal, and the scale or the end nearly equal.
bool same_place(const TimeView& a, const TimeView& b) {
  const double slack = 0.5 * std::min(a.ns_per_px, b.ns_per_px);
  if (std::abs(a.begin_ns - b.begin_ns) > slack) return false;
  if (a.width_px == b.width_px) return std::abs(a.end_ns() - b.end_ns()) <= slack;
  // Resized: either the scale is equal, or everything was fitted again and the end is equal.
  return std::abs(a.ns_per_px / b.ns_per_px - 1) < 1e-9 ||
         std::abs(a.end_ns() - b.end_ns()) <= std::max(a.ns_per_px, b.ns_per_px);
}

}  // namespace

void ViewHistory::note(const TimeView& view, bool moving, double now_seconds) {
  if (moving) {
    if (!away_) left_at_ = now_seconds;
    away_ = true;
    return;
  }
  if (places_.empty()) {
    places_.push_back(view);
    rested_at_ = now_seconds;
    return;
  }
  TimeView& here = places_[current_];
  const bool back = same_place(here, view);
  if (back || travelling_) {
    // The view may have been clamped, for instance in a wider window; it is still the same place.
    here = view;
    if (away_ && !back) rested_at_ = now_seconds;
    away_ = travelling_ = false;
    return;
  }
  if (!away_) left_at_ = now_seconds;  // jumped from one frame to the next
  away_ = false;
  const bool burst = current_ > 0 && !can_redo() && left_at_ - rested_at_ < kBurstSeconds;
  if (burst) {
    here = view;
  } else {
    places_.resize(current_ + 1);
    places_.push_back(view);
    if (places_.size() > kMostPlaces) places_.erase(places_.begin());
    current_ = places_.size() - 1;
  }
  rested_at_ = now_seconds;
}

void ViewHistory::shift(double shift_ns) {
  for (TimeView& place : places_) place.begin_ns += shift_ns;
}

std::optional<TimeView> ViewHistory::undo() {
  if (!can_undo()) return std::nullopt;
  --current_;
  travelling_ = true;
  return places_[current_];
}

std::optional<TimeView> ViewHistory::redo() {
  if (!can_redo()) return std::nullopt;
  ++current_;
  travelling_ = true;
  return places_[current_];
}

}  // namespace kino
