// Moves the timeline's camera: smooth, interruptible zooming and panning that do not depend on the frame
// rate.
#pragma once

#include <optional>

#include "core/trace/trace.hpp"
#include "render/time_view.hpp"

namespace kino {

/// Which movement keys are held.
struct HeldMovement {
  int zoom = 0;  ///< 1 zooms in, -1 out
  int pan = 0;   ///< 1 moves the view to later times, -1 to earlier
  bool fast = false;
  bool any() const { return zoom != 0 || pan != 0; }
};

/// The view on screen follows a target exponentially (kFollowSeconds) and never passes it: wheel, fit and
/// show set the target, also in the middle of a movement. Held keys move both with a speed that starts and
/// ends softly. A zoom around a pixel keeps the time under that pixel in every frame on the way.
class Navigation {
 public:
  static constexpr double kFollowSeconds = 0.035;   ///< 95 % of the way after 105 ms
  static constexpr double kKeySeconds = 0.045;      ///< how softly held keys start and end
  static constexpr double kZoomPerSecond = 3.0;     ///< held: factor e^3 a second
  static constexpr double kScreensPerSecond = 1.1;  ///< held: widths of the view a second
  static constexpr double kFast = 3.0;              ///< with Shift
  static constexpr double kMinNsPerPx = 0.05;
  static constexpr double kMaxContents = 4.0;    ///< zoomed out, the content is a quarter of the view
  static constexpr double kKeptShare = 0.1;      ///< of the view that still overlaps the content when panned
  static constexpr double kFitMargin = 0.01;     ///< of the content, to both sides of it, when all is fitted
  static constexpr double kRevealMargin = 0.05;  ///< of the view, beside what reveal() brings into it

  /// `content` is what fit_all shows and what panning cannot lose.
  explicit Navigation(TimeRange content = {});

  /// The width of the track area; the left edge stays, unless all was fitted: then all stays fitted.
  void set_width(double width_px);
  void fit_all();
  /// Shows `range` with a margin on both sides, also outside the content.
  void fit(TimeRange range, double margin_share);
  /// Goes where an earlier view was, to the same begin and end, also when the width has changed since.
  void go_to(const TimeView& view);
  /// Shows exactly what another view shows, also while that one moves; the width stays.
  void follow(const TimeView& view, const TimeView& target);
  /// Lets panning get to `range`, also outside the content.
  void reach(TimeRange range);
  /// Moves as little as it takes to see all of `range`, with kRevealMargin beside it: not at all when it is
  /// in view, and with a longer range than the view when any of it is. No more empty time beside content and
  /// range comes into view than fit_all() shows. A range that is longer than the view, and outside of it, is
  /// fitted.
  void reveal(TimeRange range);
  /// Goes on where another one is, whose times are `shift_ns` less, with its width and movement. What had all
  /// of its content in view gets all of this one's, and so does a view that would show none of it.
  void continue_from(const Navigation& other, double shift_ns);
  /// Exactly `range`, at once. Before the first width is known: as soon as it is.
  void show(TimeRange range);
  /// Divides the ns a pixel by `factor`; the time at `px` stays there.
  void zoom_at(double px, double factor);
  void pan_px(double px);
  /// Moves the view without smoothing, for dragging: what was grabbed stays under the mouse.
  void drag_px(double px);

  /// Advances by `seconds`. `anchor_px` is what held zooming keeps in place.
  void step(double seconds, HeldMovement held, double anchor_px);
  /// Whether another step would move the view.
  bool moving() const;

  const TimeView& view() const { return view_; }
  const TimeView& target() const { return target_; }

 private:
  void limit(TimeView& view) const;
  double max_ns_per_px() const;

  TimeRange content_;
  TimeRange reach_;  // content plus what was shown explicitly
  TimeView view_;
  TimeView target_;
  double zoom_speed_ = 0;            // ln(factor) a second
  double pan_speed_ = 0;             // widths a second
  bool sized_ = false;               // whether the width was ever set
  std::optional<TimeRange> wanted_;  // what show() got before that
  bool fitted_ = false;              // whether the target still is what fit_all set
};

/// A scroll position in px that follows its target as Navigation does.
class SmoothScroll {
 public:
  /// The largest position; the current one is moved inside at once.
  void set_limit(double limit_px);
  void scroll_to(double px);
  void scroll_by(double px) { scroll_to(target_ + px); }
  /// Without smoothing.
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
