// Measures frames of the timeline at all zoom levels, with the panel of the window.
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
  bool pixels = true;  ///< false: OpenGL executes all commands but fills no pixels; jump_ms is then too low
  bool csv = false;
};

/// Figures of one zoom level.
struct TimelineLevel {
  double span_ns = 0;               ///< length of the visible range
  std::vector<double> tiles_ms;     ///< from the first frame at a new position until its tiles are built
  std::vector<double> jump_ms;      ///< from a jump until all tiles are drawn by this machine's OpenGL
  std::vector<double> frame_ms;     ///< processor time of the panel
  std::vector<double> renderer_ms;  ///< the renderer's part of frame_ms
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

/// If OpenGL or memory is missing, prints a message to stderr and returns nullopt.
std::optional<TimelineFigures> measure_timeline(const TimelineBenchOptions& options);

/// Measures and prints a table. Returns false without figures.
bool run_timeline_bench(const TimelineBenchOptions& options);

}  // namespace kino_test
