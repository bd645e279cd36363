// The horizontal camera: maps time to pixels.
#pragma once

namespace kino {

/// The visible part of the timeline. `begin_ns` is the time at the left edge of the track area. In traces of
/// up to 10 h, a double is exact within 1/10 px at any zoom (0.05 ns per px or more).
struct TimeView {
  double begin_ns = 0;
  double ns_per_px = 1;
  double width_px = 1;

  double end_ns() const { return begin_ns + ns_per_px * width_px; }
  double px_from_ns(double ns) const { return (ns - begin_ns) / ns_per_px; }
  double ns_from_px(double px) const { return begin_ns + px * ns_per_px; }
  bool operator==(const TimeView&) const = default;
};

}  // namespace kino
