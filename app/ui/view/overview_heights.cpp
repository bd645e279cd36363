#include "app/ui/view/overview_heights.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kino {

OverviewHeights heights_of(const OverviewColumn& column, int gpu_height_px, int cpu_height_px) {
  const auto height = [](float share, int whole) {
    const float px = std::clamp(share, 0.0F, 1.0F) * static_cast<float>(whole);
    return px > 0 ? std::clamp(static_cast<int>(std::lround(px)), 1, std::max(1, whole)) : 0;
  };
  const float fit = 1 / std::max(1.0F, column.compute + column.communication + column.copy);
  std::array parts{height(column.compute * fit, gpu_height_px),
                   height(column.communication * fit, gpu_height_px),
                   height(column.copy * fit, gpu_height_px)};
  while (parts[0] + parts[1] + parts[2] > std::max(gpu_height_px, 3)) --*std::ranges::max_element(parts);
  const auto byte = [](int px) { return static_cast<std::uint8_t>(std::min(255, px)); };
  return {byte(parts[0]), byte(parts[1]), byte(parts[2]), byte(height(column.cpu, cpu_height_px))};
}

}  // namespace kino
