// Finds the layers, passes and single copies of a stack that take longer than the others.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tables/layers/layer_stack.hpp"

namespace kino {

/// Returns the median. For an even number of values, this is the mean of the middle two, rounded down. 0 if
/// there are no values. O(n).
std::int64_t integer_median(std::vector<std::int64_t> values);

/// Returns 1000 * part / whole; approximate if the product would overflow. 0 if `whole` is not positive.
std::int64_t per_mille(std::int64_t part, std::int64_t whole);

/// Fills the effects and outliers of a stack. The effect of a layer is the median over passes of its work, in
/// per mille of the median work of the pass. A layer is slow if its effect exceeds the median effect by more
/// than max(50, 6 MAD); MAD is the median absolute deviation. A cell is one layer in one pass. The value of a
/// cell is its work, in per mille of the pass median, divided by the effect of the layer. A cell is slow if
/// its value exceeds 1000 (per mille) by more than max(250, 6 MAD). Passes are judged as layers are, by the
/// median over their layers, if there are at least 4. Odd copies are not compared. With fewer than 4
/// comparable layers, nothing is slow. O(copies log copies).
void judge_stack(LayerStack& stack);

/// Whether judge_stack() found enough comparable layers, so that "nothing is slow" is a result.
bool is_judged(const LayerStack& stack);

}  // namespace kino
