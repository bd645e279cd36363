#include "app/ui/view/navigation.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

constexpr double kDonePx = 0.05;  // a movement ends when the view is nearer than this to its target
constexpr double kDoneSpeed = 0.002;

/// Returns the length of a range, at least a microsecond, so that empty content can be shown.
double shown_length(TimeRange range) { return std::max(1000.0, static_cast<double>(range.length_ns())); }

/// Lets `speed` approach `wanted` for `seconds`; returns the exact distance covered.
double glide(double& speed, double wanted, double seconds) {
  const double decay = std::exp(-seconds / Navigation::kKeySeconds);
  const double way = wanted * seconds + (speed - wanted) * Navigation::kKeySeconds * (1 - decay);
  speed = wanted + (speed - wanted) * decay;
  return way;
}

TimeRange range_of(const TimeView& view) {
  constexpr double kFar = 9e18;
  return {static_cast<std::int64_t>(std::clamp(view.begin_ns, -kFar, kFar)),
          static_cast<std::int64_t>(std::clamp(view.end_ns(), -kFar, kFar))};
}

void zoom(TimeView& view, double px, double factor, double min_ns_per_px, double max_ns_per_px) {
  const double time = view.ns_from_px(px);
  view.ns_per_px = std::clamp(view.ns_per_px / factor, min_ns_per_px, max_ns_per_px);
  view.begin_ns = time - px * view.ns_per_px;
}

}  // namespace

Navigation::Navigation(TimeRange content) : content_(content), reach_(content) {}

double Navigation::max_ns_per_px() const {
  const double widest = std::max(shown_length(content_), shown_length(reach_) / 2);
  return std::max(kMinNsPerPx, kMaxContents * widest / std::max(1.0, target_.width_px));
}

void Navigation::limit(TimeView& view) const {
  view.ns_per_px = std::clamp(view.ns_per_px, kMinNsPerPx, max_ns_per_px());
  const double overlap_ns = kKeptShare * view.width_px * view.ns_per_px;
  const double lowest = static_cast<double>(reach_.begin_ns) + overlap_ns - view.width_px * view.ns_per_px;
  const double highest = static_cast<double>(reach_.end_ns) - overlap_ns;
  // If the content is shorter than `overlap_ns`, it must remain completely visible.
  view.begin_ns = std::clamp(view.begin_ns, std::min(lowest, highest), std::max(lowest, highest));
}

void Navigation::set_width(double width_px) {
  width_px = std::max(1.0, width_px);
  if (width_px == view_.width_px && sized_) return;
  view_.width_px = target_.width_px = width_px;
  if (sized_ && !fitted_) {
    limit(target_);
    limit(view_);
    return;
  }
  sized_ = true;
  fit_all();
  view_ = target_;
  if (wanted_) show(*wanted_);
  wanted_.reset();
}

void Navigation::fit_all() {
  reach_ = content_;
  fit(content_, kFitMargin);
  fitted_ = true;
}

void Navigation::fit(TimeRange range, double margin_share) {
  const double length = shown_length(range) * (1 + 2 * margin_share);
  const double middle = static_cast<double>(range.begin_ns) + static_cast<double>(range.length_ns()) / 2;
  reach(range);
  target_.ns_per_px = std::clamp(length / target_.width_px, kMinNsPerPx, max_ns_per_px());
  target_.begin_ns = middle - target_.ns_per_px * target_.width_px / 2;
  limit(target_);
  fitted_ = false;
}

void Navigation::follow(const TimeView& view, const TimeView& target) {
  reach(range_of(view));
  reach(range_of(target));
  const double width = target_.width_px;
  view_ = {view.begin_ns, view.ns_per_px * view.width_px / width, width};
  target_ = {target.begin_ns, target.ns_per_px * target.width_px / width, width};
  zoom_speed_ = pan_speed_ = 0;
  fitted_ = false;
}

void Navigation::go_to(const TimeView& view) {
  reach(range_of(view));
  const double length = view.end_ns() - view.begin_ns;
  target_.ns_per_px = std::clamp(length / target_.width_px, kMinNsPerPx, max_ns_per_px());
  target_.begin_ns = view.begin_ns;
  limit(target_);
  fitted_ = false;
}

void Navigation::continue_from(const Navigation& other, double shift_ns) {
  const TimeRange content = content_;
  *this = other;
  content_ = reach_ = content;
  view_.begin_ns += shift_ns;
  target_.begin_ns += shift_ns;
  if (!sized_) return;
  const bool shows_content = target_.end_ns() > static_cast<double>(content_.begin_ns) &&
                             target_.begin_ns < static_cast<double>(content_.end_ns);
  if (fitted_ || !shows_content) {
    zoom_speed_ = pan_speed_ = 0;
    fit_all();
    if (!shows_content) view_ = target_;
  } else {
    const TimeView moving = view_;
    go_to(TimeView(target_));
    view_ = moving;
  }
}

void Navigation::reach(TimeRange range) {
  reach_.begin_ns = std::min(reach_.begin_ns, range.begin_ns);
  reach_.end_ns = std::max(reach_.end_ns, range.end_ns);
}

void Navigation::reveal(TimeRange range) {
  const double margin = kRevealMargin * target_.width_px;
  const double left = target_.px_from_ns(static_cast<double>(range.begin_ns));
  const double right = target_.px_from_ns(static_cast<double>(range.end_ns));
  if (left >= 0 && right <= target_.width_px) return;
  const bool longer = right - left > target_.width_px - 2 * margin;
  if (longer && right > margin && left < target_.width_px - margin) return;
  reach(range);
  // No content is outside of this range.
  const TimeRange all{std::min(content_.begin_ns, range.begin_ns), std::max(content_.end_ns, range.end_ns)};
  if (longer) {
    const auto beside = static_cast<std::int64_t>(2 * kRevealMargin * static_cast<double>(range.length_ns()));
    const TimeRange wide{std::max(all.begin_ns, saturating_subtract(range.begin_ns, beside)),
                         std::min(all.end_ns, saturating_add(range.end_ns, beside))};
    fit(wide, kFitMargin);
    return;
  }
  const double width_ns = target_.width_px * target_.ns_per_px;
  const double empty = std::min(kFitMargin * shown_length(content_), margin * target_.ns_per_px);
  const double lowest = static_cast<double>(all.begin_ns) - empty;
  const double highest = static_cast<double>(all.end_ns) + empty - width_ns;
  const double moved_px = left < margin ? left - margin : right - (target_.width_px - margin);
  target_.begin_ns = std::clamp(target_.begin_ns + moved_px * target_.ns_per_px, std::min(lowest, highest),
                                std::max(lowest, highest));
  fitted_ = false;
}

void Navigation::show(TimeRange range) {
  reach(range);
  if (!sized_) wanted_ = range;
  target_.ns_per_px = std::max(1.0, static_cast<double>(range.length_ns())) / target_.width_px;
  target_.begin_ns = static_cast<double>(range.begin_ns);
  target_.ns_per_px = std::clamp(target_.ns_per_px, kMinNsPerPx, max_ns_per_px());
  view_ = target_;
  zoom_speed_ = pan_speed_ = 0;
  fitted_ = false;
}

void Navigation::zoom_at(double px, double factor) {
  // Use the time under the mouse now, not after the current movement.
  const double time = view_.ns_from_px(px);
  target_.ns_per_px = std::clamp(target_.ns_per_px / factor, kMinNsPerPx, max_ns_per_px());
  target_.begin_ns = time - px * target_.ns_per_px;
  limit(target_);
  fitted_ = false;
}

void Navigation::pan_px(double px) {
  target_.begin_ns += px * target_.ns_per_px;
  limit(target_);
  fitted_ = false;
}

void Navigation::drag_px(double px) {
  target_ = view_;
  pan_px(px);
  view_ = target_;
  zoom_speed_ = pan_speed_ = 0;
}

void Navigation::step(double seconds, HeldMovement held, double anchor_px) {
  seconds = std::clamp(seconds, 0.0, 0.25);
  if (seconds == 0) return;

  const double haste = held.fast ? kFast : 1;
  const double zoom_way = glide(zoom_speed_, held.zoom * kZoomPerSecond * haste, seconds);
  const double pan_way = glide(pan_speed_, held.pan * kScreensPerSecond * haste, seconds);
  if (held.zoom == 0 && std::abs(zoom_speed_) < kDoneSpeed) zoom_speed_ = 0;
  if (held.pan == 0 && std::abs(pan_speed_) < kDoneSpeed) pan_speed_ = 0;
  if (zoom_way != 0 || pan_way != 0) {
    fitted_ = false;
    for (TimeView* view : {&view_, &target_}) {
      if (zoom_way != 0) zoom(*view, anchor_px, std::exp(zoom_way), kMinNsPerPx, max_ns_per_px());
      view->begin_ns += pan_way * view->width_px * view->ns_per_px;
      limit(*view);
    }
  }

  // The scale approaches its target exponentially in its logarithm. Any point that both views agree on
  // remains in place: begin and scale move by the same share, since begin is linear in the scale.
  const double left = std::exp(-seconds / kFollowSeconds);
  const double ratio = view_.ns_per_px / target_.ns_per_px;
  double share_left = left;
  if (std::abs(ratio - 1) > 1e-6) {
    const double next_ratio = std::pow(ratio, left);
    share_left = (next_ratio - 1) / (ratio - 1);
    view_.ns_per_px = target_.ns_per_px * next_ratio;
  } else {
    view_.ns_per_px = target_.ns_per_px;
  }
  view_.begin_ns = target_.begin_ns + (view_.begin_ns - target_.begin_ns) * share_left;
  const double edges_px =
      std::max(std::abs(view_.begin_ns - target_.begin_ns), std::abs(view_.end_ns() - target_.end_ns())) /
      target_.ns_per_px;
  if (edges_px < kDonePx) view_ = target_;
}

bool Navigation::moving() const { return view_ != target_ || zoom_speed_ != 0 || pan_speed_ != 0; }

void SmoothScroll::set_limit(double limit_px) {
  limit_ = std::max(0.0, limit_px);
  target_ = std::clamp(target_, 0.0, limit_);
  position_ = std::clamp(position_, 0.0, limit_);
}

void SmoothScroll::scroll_to(double px) { target_ = std::clamp(px, 0.0, limit_); }

void SmoothScroll::jump_to(double px) {
  scroll_to(px);
  position_ = target_;
}

void SmoothScroll::step(double seconds) {
  const double left = std::exp(-std::clamp(seconds, 0.0, 0.25) / Navigation::kFollowSeconds);
  position_ = target_ + (position_ - target_) * left;
  if (std::abs(position_ - target_) < 0.5) position_ = target_;
}

bool SmoothScroll::moving() const { return position_ != target_; }

}  // namespace kino
