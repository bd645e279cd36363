// What the frames of a window cost the thread that draws it, kept to be told at its end.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace kino {

/// Processor time of the UI thread for one frame, in milliseconds, by what it went to.
struct FrameCost {
  double events = 0;     ///< input and other events of the window system
  double documents = 0;  ///< what loaders and other processes have ready
  double fonts = 0;      ///< glyphs that were missing, styles
  double interface = 0;  ///< the panels, to the lists of what is to be drawn
  double tiles = 0;      ///< planning and uploading the timeline's tiles
  double driver = 0;     ///< inside OpenGL and the swap; with a software driver its shading, too

  /// What the program itself took: all but the driver's.
  double own() const { return events + documents + fonts + interface + tiles; }
};

/// Used by the UI thread alone.
class FrameReport {
 public:
  /// What went on when the frame was drawn; of several the first.
  enum class Beside { loading, searching, moving, nothing };

  /// `at_seconds`: since the program began.
  void add(const FrameCost& cost, Beside beside, double at_seconds);
  /// A line each for all frames and for those beside something: count, median, 99th and 99.9th percentile,
  /// most. Then the driver's, and the frames that took the most, with what it went to. O(frames log frames).
  std::string text() const;

 private:
  struct Frame {
    FrameCost cost;
    Beside beside{};
    double at_seconds = 0;
  };

  std::vector<double> driver_ms_;
  std::array<std::vector<double>, 4> own_ms_;
  std::vector<Frame> slowest_;  // the slowest first
};

}  // namespace kino
