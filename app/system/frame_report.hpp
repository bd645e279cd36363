// Report on the cost of frames on the UI thread, printed when the window closes.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace kino {

/// Processor time of the UI thread for one frame in milliseconds, by activity.
struct FrameCost {
  double events = 0;     ///< input and other events of the window system
  double documents = 0;  ///< results of loaders and other processes
  double fonts = 0;      ///< missing glyphs, styles
  double interface = 0;  ///< panels, up to their draw lists
  double tiles = 0;      ///< planning and uploading the timeline's tiles
  double driver = 0;     ///< OpenGL calls and buffer swap; with a software driver also the shading

  /// Returns the time of the program itself: everything except the driver.
  double own() const { return events + documents + fonts + interface + tiles; }
};

class FrameReport {
 public:
  /// Activity during a frame; if there were several, the first in this order.
  enum class Beside { loading, searching, moving, nothing };

  /// `at_seconds` is the time since the start of the program.
  void add(const FrameCost& cost, Beside beside, double at_seconds);
  /// Returns one line for all frames and one per activity: count, median, 99th and 99.9th percentile,
  /// maximum. These lines are followed by a line for the driver, and the eight slowest frames with their
  /// breakdown. O(frames log frames).
  std::string text() const;

 private:
  struct Frame {
    FrameCost cost;
    Beside beside{};
    double at_seconds = 0;
  };

  std::vector<double> driver_ms_;
  std::array<std::vector<double>, 4> own_ms_;
  std::vector<Frame> slowest_;  // slowest first
};

}  // namespace kino
