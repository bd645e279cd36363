// The parts of the mean iteration of a group: one bar per part, each starting where the last one ended.
#pragma once

#include "app/pages/serving/serving_state.hpp"

namespace kino {

/// Draws the parts of ServingState::shown_group(). O(parts).
void draw_part_chart(ImDrawList& list, const ServingState& state);

/// Draws the parts of a group as one stacked bar that fills the box. O(parts).
void draw_stacked_parts(ImDrawList& list, const Box& box, const IterationTimes& times, const Theme& theme);

}  // namespace kino
