// Undo and redo of the timeline's view: a list of the places a person has been.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "render/time_view.hpp"

namespace kino {

/// A person's steps through the trace are where the view came to rest. Movements that follow each other
/// within kBurstSeconds (notches of a wheel, taps of a key) are one step. UI thread only.
class ViewHistory {
 public:
  static constexpr double kBurstSeconds = 0.4;
  static constexpr std::size_t kMostPlaces = 200;

  /// Once a frame. `moving`: whether the view is on its way, or held by a drag. `now_seconds` ascends, also
  /// while no frames are drawn. A view of another width is the same place when its begin and scale are.
  void note(const TimeView& view, bool moving, double now_seconds);
  /// The place before the current one, which then is the current one; nullopt at the oldest. The width is
  /// that of the time the place was noted.
  std::optional<TimeView> undo();
  std::optional<TimeView> redo();

  /// The places lie at other times from now on: `shift_ns` is added.
  void shift(double shift_ns);

  bool can_undo() const { return current_ > 0; }
  bool can_redo() const { return current_ + 1 < places_.size(); }

 private:
  std::vector<TimeView> places_;
  std::size_t current_ = 0;
  double rested_at_ = 0;     // when the view came to the current place
  double left_at_ = 0;       // when it was last seen there
  bool away_ = false;        // whether it has left the current place
  bool travelling_ = false;  // towards a place that undo or redo named
};

}  // namespace kino
