// Maps times to pixels of the overview strip, and drags on the strip to the visible time window.
#pragma once

#include <cstdint>

#include "core/trace/trace.hpp"
#include "render/time_view.hpp"

namespace kino {

/// A time interval with `double` edges, like the camera's.
struct TimeSpan {
  double begin_ns = 0;
  double end_ns = 0;
  double length_ns() const { return end_ns - begin_ns; }
};

/// The strip's own camera, which shows the whole content in `width_px`.
struct OverviewMap {
  TimeRange content;
  double width_px = 1;

  double ns_per_px() const;
  double px_from_ns(double ns) const;
  double ns_from_px(double px) const;
};

/// The brush as drawn: the visible window, at least kMinPx wide and inside the strip.
struct Brush {
  static constexpr double kMinPx = 3;
  double left_px = 0;
  double right_px = 0;
};
Brush brush_of(const OverviewMap& map, const TimeSpan& visible, double scale);

/// Part of the strip that a press grabs.
enum class BrushPart : std::uint8_t { outside, left_handle, right_handle, inside };

/// Returns the part of the strip at `px`. Handles extend kHandlePx to both sides of the brush's edges; a
/// narrow brush has a middle part between them. If the brush nearly fills the strip, there is no inside, so
/// that a drag marks a new window.
BrushPart brush_part_at(const OverviewMap& map, const TimeSpan& visible, double px, double scale);

/// A press of the mouse on the strip, until its release. Converts mouse positions to visible windows.
class OverviewDrag {
 public:
  static constexpr double kHandlePx = 5;
  static constexpr double kThresholdPx = 3;  ///< a shorter movement is a click

  void press(const OverviewMap& map, const TimeSpan& visible, double px, double scale);
  /// Window to show; `changed` is false if nothing moves.
  struct Answer {
    bool changed = false;
    TimeSpan visible;
  };
  Answer move(const OverviewMap& map, double px);
  /// Ends the press and returns the window to show. After a click outside of the brush, centers the window
  /// there, unless it shows nearly everything already. After a drag outside of the brush, returns the marked
  /// range.
  Answer release(const OverviewMap& map, double px);

  bool active() const { return active_; }
  /// Whether a new window is being marked; marked() returns it.
  bool marking() const { return active_ && part_ == BrushPart::outside && moved_; }
  TimeSpan marked(const OverviewMap& map, double px) const;
  BrushPart part() const { return part_; }

 private:
  TimeSpan at_press_;
  double pressed_px_ = 0;
  double scale_ = 1;
  BrushPart part_ = BrushPart::outside;
  bool active_ = false;
  bool moved_ = false;
};

}  // namespace kino
