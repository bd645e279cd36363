// The charts of two compared runs: one dot per step, the causes of the difference, and their place in the
// step.
#pragma once

#include <imgui.h>

#include "app/pages/comparison/comparison_state.hpp"

namespace kino {

/// Draws the durations of all steps of both runs. If a row is selected, draws the row's durations per step.
void draw_step_dots(ImDrawList& list, const ComparisonState& state);
/// Draws the causes that lead from A's mean step to B's mean step, savings first. A click on a cause filters
/// the rows.
void draw_waterfall(ImDrawList& list, ComparisonState& state);
/// Draws the step's modules or, unless both runs have modules, its causes and kernels. Widths are shares of
/// A's step. A click selects the row or the cause.
void draw_icicle(ImDrawList& list, ComparisonState& state);

/// Draws the checks and their results. Called instead of the charts if the runs are not comparable.
void draw_checks(ImDrawList& list, const ComparisonState& state);

}  // namespace kino
