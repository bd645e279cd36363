// The plot of active memory over time as SVG: bands as shapes, rulers and the peak as text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/pages/memory_plot/overlay_curves.hpp"
#include "app/pages/memory_plot/plot_raster.hpp"

namespace kino {

struct PlotSvgStyle {
  std::uint32_t background = 0;  ///< 0xAABBGGRR, as all colors
  std::uint32_t text = 0;
  std::uint32_t grid = 0;
  std::function<std::uint32_t(const MemoryCell&)> band;  ///< the color of a cell that is not empty
  std::string title;
  std::vector<std::string> strips;  ///< names of the strips of the layout
};

/// Returns a plot as SVG. One unit is a pixel of the raster. Adjacent cells of the same color form one shape.
/// `over` may be null; its curves must have the raster's columns and are drawn as lines. O(cells).
std::string plot_svg(const Snapshot& snapshot, const PlotRaster& plot, const PlotSvgStyle& look,
                     const OverlayCurves* over = nullptr);

}  // namespace kino
