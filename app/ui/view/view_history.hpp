// Undo and redo of the timeline's view: a list of visited views.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "render/time_view.hpp"

namespace kino {

/// A place is a view at rest. Movements with less than kBurstSeconds of rest between them (notches of a
/// wheel, taps of a key) lead to one place. UI thread only.
class ViewHistory {
 public:
  static constexpr double kBurstSeconds = 0.4;
  static constexpr std::size_t kMostPlaces = 200;

  /// Called once per frame. `moving`: whether the view is moving or being dragged. `now_seconds` ascends even
  /// while no frames are drawn. A view of another width is the same place if its start and its scale or end
  /// are equal.
  void note(const TimeView& view, bool moving, double now_seconds);
  /// Steps back to the previous place; nullopt at the oldest. The returned view has the width from when the
  /// place was recorded.
  std::optional<TimeView> undo();
  std::optional<TimeView> redo();

  /// Adds `shift_ns` to the times of all places.
  void shift(double shift_ns);

  bool can_undo() const { return current_ > 0; }
  bool can_redo() const { return current_ + 1 < places_.size(); }

 private:
  std::vector<TimeView> places_;
  std::size_t current_ = 0;
  double rested_at_ = 0;     // time when the view arrived at the current place
  double left_at_ = 0;       // time when the view was last at that place
  bool away_ = false;        // whether the view has left the current place
  bool travelling_ = false;  // whether the view is moving to a place of undo() or redo()
};

}  // namespace kino
