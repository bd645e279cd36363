// What the frames of a window cost the thread that draws it, kept to be told at its end.
#pragma once

#include <string>
#include <vector>

namespace kino {

/// Used by the UI thread alone.
class FrameReport {
 public:
  /// What the frame was drawn beside; of several the first.
  enum class Beside { loading, searching, nothing };

  /// `cpu_ms`: processor time of the thread, from waking up to handing the frame to the driver.
  void add(double cpu_ms, Beside beside) { frames_.at(static_cast<std::size_t>(beside)).push_back(cpu_ms); }
  /// A line each for all frames and for those beside something: count, median, 99th and 99.9th percentile,
  /// most. O(frames).
  std::string text() const;

 private:
  std::vector<std::vector<double>> frames_{3};
};

}  // namespace kino
