// Measures what a frame of the timeline costs, with the panel that the window uses, at all zoom levels.
#pragma once

#include <cstddef>

namespace kino_test {

struct TimelineBenchOptions {
  std::size_t slices = 10'000'000;
  int frames = 200;  ///< measured at each zoom level
  int levels = 12;   ///< from the whole trace to 1 us
  int width_px = 2560;
  int height_px = 1440;
  bool csv = false;
};

/// Prints the table; false when there is no OpenGL or not enough memory, which it says on stderr.
bool run_timeline_bench(const TimelineBenchOptions& options);

}  // namespace kino_test
