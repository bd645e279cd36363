// The plot of iterations: one bar each, as high as its window, in the color of its phase.
#pragma once

#include "app/pages/serving/serving_state.hpp"

namespace kino {

/// Draws the iterations, and hatches those that the statistics leave out. A click shows an iteration in the
/// timeline. Requires ServingState::has_iterations(). O(bars).
void draw_iteration_plot(ImDrawList& list, ServingState& state);

}  // namespace kino
