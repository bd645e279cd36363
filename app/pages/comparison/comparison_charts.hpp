// The three small pictures of two compared runs: a dot a step, where the difference is, where in the step.
#pragma once

#include <imgui.h>

#include "app/pages/comparison/comparison_state.hpp"

namespace kino {

/// Of all steps of both runs how long they took; of a selected row how long it took in each.
void draw_step_dots(ImDrawList& list, const ComparisonState& state);
/// From A's mean step to B's by causes, those that save time first. A click on one leaves only its rows.
void draw_waterfall(ImDrawList& list, ComparisonState& state);
/// Modules, or else causes and kernels, as wide as A's share in them. A click selects the row or the cause.
void draw_icicle(ImDrawList& list, ComparisonState& state);

/// In their place where the runs are no pair: what was checked, and what refuses.
void draw_checks(ImDrawList& list, const ComparisonState& state);

}  // namespace kino
