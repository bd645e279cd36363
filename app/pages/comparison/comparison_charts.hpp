// The charts of two compared runs: one dot per step, the causes of the difference, and their place in the
// step.
#pragma once

#include <imgui.h>

#include "app/pages/comparison/comparison_state.hpp"

namespace kino {

/// Durations of all steps of both runs; if a row is selected, its durations per step.
void draw_step_dots(ImDrawList& list, const ComparisonState& state);
/// From A's mean step to B's by cause, savings first. A click on a cause filters the rows.
void draw_waterfall(ImDrawList& list, ComparisonState& state);
/// Modules, else causes and kernels; widths are shares of A's step. A click selects the row or the cause.
void draw_icicle(ImDrawList& list, ComparisonState& state);

/// Shown instead if the runs are not comparable: the checks and their results.
void draw_checks(ImDrawList& list, const ComparisonState& state);

}  // namespace kino
