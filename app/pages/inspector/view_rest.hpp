// Notices when a view has stopped moving, so that its sums are worth computing.
#pragma once

#include <optional>

#include "render/time_view.hpp"

namespace kino {

/// Reports views that have rested.
class ViewRest {
 public:
  static constexpr double kSeconds = 0.15;

  /// Called once per frame. Returns true in the frame in which the view has not changed for kSeconds. The
  /// first view need not rest.
  bool note(const TimeView& view, double delta_seconds);
  /// Whether the view has changed since it was last reported.
  bool waiting() const { return waiting_; }

 private:
  std::optional<TimeView> view_;
  double rested_seconds_ = 0;
  bool waiting_ = false;
};

}  // namespace kino
