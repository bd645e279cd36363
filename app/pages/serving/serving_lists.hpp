// The tables of the serving page: groups of iterations, and stalls.
#pragma once

#include "app/pages/serving/serving_state.hpp"

namespace kino {

/// Draws the groups. A click selects a group, whose parts are shown. O(visible rows).
void draw_group_list(ServingState& state);
/// Draws the stalls, or a sentence if there are none. A click shows the iteration in the timeline. O(visible
/// rows).
void draw_stall_list(ServingState& state);

}  // namespace kino
