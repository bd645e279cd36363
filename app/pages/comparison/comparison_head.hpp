// Top of the comparison page: the verdict with its interval, and the options of the comparison.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/comparison/comparison_state.hpp"

namespace kino {

/// Open runs that the user can select as a side.
using OpenSides = std::vector<ComparedSide>;

/// Draws the head and handles its buttons.
void draw_comparison_head(ImDrawList& list, ComparisonState& state, const OpenSides& open);

}  // namespace kino
