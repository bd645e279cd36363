// The typical layer: each kernel at its median time, above the layers and copies that differ from it.
#pragma once

#include <imgui.h>

#include "app/pages/layers/layers_state.hpp"

namespace kino {

/// Draws one group of rows per phase: the typical layer with whiskers, and LayersState::compared below it on
/// the same axis. Time beyond the median of a kernel is orange. Requires LayersState::has_layers().
void draw_folded_lane(ImDrawList& list, LayersState& state);

}  // namespace kino
