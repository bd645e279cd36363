// The table of layers, with a sparkline over the passes.
#pragma once

#include "app/pages/layers/layers_state.hpp"

namespace kino {

/// Draws one row per layer. A click selects the layer in all passes. Requires LayersState::has_layers().
void draw_layers_list(LayersState& state);

}  // namespace kino
