// Heights of the parts of a column in the overview strip.
#pragma once

#include <cstdint>

namespace kino {

/// Load of one pixel column of the strip. For the GPU: shares (0 to 1) of the column's time per kind of work;
/// kinds may overlap. For the CPU: the number of busy threads, relative to the maximum over all columns.
struct OverviewColumn {
  float compute = 0;
  float communication = 0;
  float copy = 0;
  float cpu = 0;
};

/// Heights of a column's parts in whole px, from the bottom up. Each part that is present gets at least one
/// pixel. If kinds overlap, they share the height, so that all parts fit.
struct OverviewHeights {
  std::uint8_t compute = 0;
  std::uint8_t communication = 0;
  std::uint8_t copy = 0;
  std::uint8_t cpu = 0;
  bool operator==(const OverviewHeights&) const = default;
};
OverviewHeights heights_of(const OverviewColumn& column, int gpu_height_px, int cpu_height_px);

}  // namespace kino
