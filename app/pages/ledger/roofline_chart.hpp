// The roofline of the ledger page: operators by intensity and achieved FLOP/s, below the limits of the
// device.
#pragma once

#include <imgui.h>

#include "app/pages/ledger/ledger_state.hpp"

namespace kino {

/// Draws one point per operator, input shapes and type. Its area is proportional to its time, but its radius
/// has a minimum. Operators without FLOPs are in a strip below, by bandwidth. Points with unknown bytes or
/// uncounted calls are not drawn. A click selects a point. A double click shows its longest kernel in the
/// timeline. Requires LedgerState::has_steps(). O(points).
void draw_roofline(ImDrawList& list, LedgerState& state);

}  // namespace kino
