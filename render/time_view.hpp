// The horizontal camera: maps time to pixels.
#pragma once

namespace kino {

/// `begin_ns` is the time at the left edge of the track area. As a double, it is exact within 1/1000 px at
/// any zoom of a trace of 10 h.
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
