// Moves the timeline's camera: zooms and pans smoothly and interruptibly, independent of the frame rate.
#pragma once

#include <optional>

#include "core/trace/trace.hpp"
#include "render/time_view.hpp"

namespace kino {

struct HeldMovement {
  int zoom = 0;  ///< 1 zooms in, -1 out
  int pan = 0;   ///< 1 moves to later times, -1 to earlier
  bool fast = false;
  bool any() const { return zoom != 0 || pan != 0; }
};

/// The view on screen follows a target exponentially (kFollowSeconds) without overshooting. The mouse wheel
/// and most functions set the target, even during a movement. Held keys move the target and the view, with a
/// speed that ramps up and down. While zooming around a pixel, the time at that pixel is constant in every
/// frame.
class Navigation {
 public:
  static constexpr double kFollowSeconds = 0.035;   ///< 95 % of the way after 105 ms
  static constexpr double kKeySeconds = 0.045;      ///< time constant of the speed when keys are pressed or
                                                    ///< released
  static constexpr double kZoomPerSecond = 3.0;     ///< speed while held: factor e^3 per second
  static constexpr double kScreensPerSecond = 1.1;  ///< speed while held: widths of the view per second
  static constexpr double kFast = 3.0;              ///< factor of both speeds with Shift
  static constexpr double kMinNsPerPx = 0.05;
  static constexpr double kMaxContents = 4.0;    ///< longest view, in lengths of the content or, if that is
                                                 ///< longer, of half of the range that panning can reach
  static constexpr double kKeptShare = 0.1;      ///< minimum share of the view that overlaps the content
  static constexpr double kFitMargin = 0.01;     ///< fit_all(): margin on both sides, share of the content
  static constexpr double kRevealMargin = 0.05;  ///< reveal(): margin on both sides, share of the view

  /// `content` is the range that fit_all() shows. Panning keeps a part of this range, extended by reach(), in
  /// view.
  explicit Navigation(TimeRange content = {});

  /// Sets the width of the track area. The left edge remains in place. A view that was fitted is fitted
  /// again.
  void set_width(double width_px);
  void fit_all();
  /// Shows `range`, which may be outside of the content, with a margin on both sides.
  void fit(TimeRange range, double margin_share);
  /// Returns to an earlier view with the same start and end, even if the width has changed since.
  void go_to(const TimeView& view);
  /// Copies another view and its target, with this view's width.
  void follow(const TimeView& view, const TimeView& target);
  /// Extends the range that panning can reach by `range`, which may be outside of the content.
  void reach(TimeRange range);
  /// Moves as little as possible to show all of `range`, with kRevealMargin beside it. Does nothing if the
  /// range is in view, or if it is longer than the view and partly visible. Does not show more empty time
  /// than fit_all(). A range that is longer than the view and outside of it is fitted.
  void reveal(TimeRange range);
  /// Copies view, width and movement of another camera, adding `shift_ns` to its times. If that view was
  /// fitted, or would not show any content, fits this view.
  void continue_from(const Navigation& other, double shift_ns);
  /// Shows exactly `range` without animation, or as soon as the width is known.
  void show(TimeRange range);
  /// Divides the ns per pixel by `factor`; the time at `px` remains.
  void zoom_at(double px, double factor);
  void pan_px(double px);
  /// Moves the view without smoothing, for dragging: the grabbed point follows the mouse.
  void drag_px(double px);

  /// Advances the animation by `seconds`. `anchor_px` is the fixed point of held zoom keys.
  void step(double seconds, HeldMovement held, double anchor_px);
  bool moving() const;

  const TimeView& view() const { return view_; }
  const TimeView& target() const { return target_; }

 private:
  void limit(TimeView& view) const;
  double max_ns_per_px() const;

  TimeRange content_;
  TimeRange reach_;  // content plus ranges shown explicitly
  TimeView view_;
  TimeView target_;
  double zoom_speed_ = 0;            // ln(factor) per second
  double pan_speed_ = 0;             // widths per second
  bool sized_ = false;               // whether the width was ever set
  std::optional<TimeRange> wanted_;  // argument of show() before the width was set
  bool fitted_ = false;              // whether the target is still the one set by fit_all()
};

/// A scroll position in px that follows its target like Navigation.
class SmoothScroll {
 public:
  /// Sets the largest position; the current one is clamped without animation.
  void set_limit(double limit_px);
  void scroll_to(double px);
  void scroll_by(double px) { scroll_to(target_ + px); }
  /// Moves without smoothing.
  void jump_to(double px);
  void step(double seconds);
  bool moving() const;
  double position() const { return position_; }
  double target() const { return target_; }

 private:
  double position_ = 0;
  double target_ = 0;
  double limit_ = 0;
};

}  // namespace kino
