#include "app/pages/inspector/view_rest.hpp"

namespace kino {

bool ViewRest::note(const TimeView& view, double delta_seconds) {
  if (!view_) {
    view_ = view;
    return true;
  }
  if (*view_ != view) {
    view_ = view;
    rested_seconds_ = 0;
    waiting_ = true;
    return false;
  }
  if (!waiting_) return false;
  rested_seconds_ += delta_seconds;
  if (rested_seconds_ < kSeconds) return false;
  waiting_ = false;
  return true;
}

}  // namespace kino
