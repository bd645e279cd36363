// The top of the page of two compared runs: the verdict with its interval, and what is compared by what.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/comparison/comparison_state.hpp"

namespace kino {

/// A trace that is open, and may be a side.
using OpenSides = std::vector<ComparedSide>;

/// Also handles its buttons.
void draw_comparison_head(ImDrawList& list, ComparisonState& state, const OpenSides& open);

}  // namespace kino
