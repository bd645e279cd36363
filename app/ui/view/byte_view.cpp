#include "app/ui/view/byte_view.hpp"

#include <algorithm>
#include <cmath>

#include "app/ui/view/navigation.hpp"

namespace kino {
namespace {

constexpr double kFewestBytes = 64;  // over the whole height
constexpr double kDoneShare = 1e-4;

}  // namespace

void ByteView::set_content(double highest) {
  content_ = std::max(highest, 1.0);
  if (fitted_) {
    target_low_ = 0;
    target_high_ = content_;
  }
  if (high_ == 0) {
    low_ = target_low_;
    high_ = target_high_;
  }
}

void ByteView::zoom_at(double share, double factor) {
  const double anchor = low_ + (high_ - low_) * share;
  const double length = std::clamp((target_high_ - target_low_) / factor, kFewestBytes, 2 * content_);
  target_low_ = anchor - length * share;
  target_high_ = target_low_ + length;
  fitted_ = false;
  limit();
}

void ByteView::pan(double share) {
  const double way = (target_high_ - target_low_) * share;
  target_low_ += way;
  target_high_ += way;
  fitted_ = false;
  limit();
}

// Clamps the target, so that it starts at zero or above and still overlaps the content.
void ByteView::limit() {
  const double length = target_high_ - target_low_;
  target_low_ = std::clamp(target_low_, 0.0, std::max(0.0, content_ - length * 0.1));
  target_high_ = target_low_ + length;
}

void ByteView::step(double seconds) {
  const double left = std::exp(-std::clamp(seconds, 0.0, 0.25) / Navigation::kFollowSeconds);
  low_ = target_low_ + (low_ - target_low_) * left;
  high_ = target_high_ + (high_ - target_high_) * left;
  const double done = (target_high_ - target_low_) * kDoneShare;
  if (std::abs(low_ - target_low_) < done && std::abs(high_ - target_high_) < done) {
    low_ = target_low_;
    high_ = target_high_;
  }
}

}  // namespace kino
