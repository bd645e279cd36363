// Judges which layers, passes and single copies of a stack take longer than the others.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tables/layers/layer_stack.hpp"

namespace kino {

/// Middle value, or the mean of the middle two rounded down; 0 without values. O(n log n).
std::int64_t integer_median(std::vector<std::int64_t> values);

/// Fills the effects and outliers of a stack. The effect of a layer is the median over passes of its work per
/// mille of the pass median. A layer is slow above the median effect by more than max(50, 6 MAD). A cell is
/// slow above 1000 by more than max(250, 6 MAD). Only copies that are not odd are compared; with fewer than 4
/// layers there is no verdict. Passes are judged in the same way, with the axes exchanged. O(copies log
/// copies).
void judge_stack(LayerStack& stack);

}  // namespace kino
