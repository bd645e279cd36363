// How high the parts of a column of the overview strip are.
#pragma once

#include <cstdint>

namespace kino {

/// How busy one column of the strip is: shares of its time, 0 to 1, in which the GPU does each kind of work
/// (kinds overlap), and busy CPU threads as a share of the most there are in any column.
struct OverviewColumn {
  float compute = 0;
  float communication = 0;
  float copy = 0;
  float cpu = 0;
};

/// Heights of a column's parts in whole px of `height_px`, from the bottom up. Whatever is present gets a
/// pixel, and together they fit; kinds that overlap share the height.
struct OverviewHeights {
  std::uint8_t compute = 0;
  std::uint8_t communication = 0;
  std::uint8_t copy = 0;
  std::uint8_t cpu = 0;
  bool operator==(const OverviewHeights&) const = default;
};
OverviewHeights heights_of(const OverviewColumn& column, int gpu_height_px, int cpu_height_px);

}  // namespace kino
