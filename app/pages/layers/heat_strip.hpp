// The heat strip: deviations of all copies, by layer and pass.
#pragma once

#include <imgui.h>

#include "app/pages/layers/layers_state.hpp"

namespace kino {

/// Draws the grids of the shown stack side by side. Requires LayersState::has_layers(). A click selects a
/// copy, and a double click shows it in the timeline.
void draw_heat_strip(ImDrawList& list, LayersState& state);

/// Merges neighboring layers and passes of a grid. A merged cell shows its copy with the largest deviation.
/// `layers` is the number of layers of the tallest grid. All grids are scaled to it, so that a layer has the
/// same row in each of them. O(cells of the grid + cells of the image).
HeatImage heat_image(const LayerGrid& grid, std::uint32_t layers, std::uint32_t columns, std::uint32_t rows);

}  // namespace kino
