// Measures what a frame of the timeline costs, with the panel that the window uses, at all zoom levels.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace kino_test {

struct TimelineBenchOptions {
  std::size_t slices = 10'000'000;
  int frames = 200;  ///< measured at each zoom level
  int levels = 12;   ///< from the whole trace to 1 us
  int width_px = 2560;
  int height_px = 1440;
  bool pixels = true;  ///< false: OpenGL gets every command but fills no pixel, and jump_ms says less
  bool csv = false;
};

/// What drawing cost at one zoom level; times in ms.
struct TimelineLevel {
  double span_ns = 0;               ///< what is in view
  std::vector<double> tiles_ms;     ///< from a frame elsewhere until the workers have built its tiles
  std::vector<double> jump_ms;      ///< from a jump until all of it is drawn, by this machine's OpenGL
  std::vector<double> frame_ms;     ///< processor time of the panel
  std::vector<double> renderer_ms;  ///< of it the renderer's
  std::size_t tiles = 0;
  std::size_t instances = 0;
};

struct TimelineFigures {
  std::size_t slices = 0;
  std::size_t lanes = 0;
  std::size_t model_bytes = 0;
  double build_seconds = 0;
  std::vector<TimelineLevel> levels;  ///< from the whole trace inwards
};

/// Nothing when there is no OpenGL or not enough memory, which it says on stderr.
std::optional<TimelineFigures> measure_timeline(const TimelineBenchOptions& options);

/// Measures and prints the table; false without figures.
bool run_timeline_bench(const TimelineBenchOptions& options);

}  // namespace kino_test
