// The charts of the ledger page: the waterfall of a step, the bars of all steps, and the ceiling.
#pragma once

#include <imgui.h>

#include "app/pages/ledger/ledger_state.hpp"

namespace kino {

// These functions require LedgerState::has_steps(). Clicks change the selection of the state.

/// Draws one row per cause of the shown step, in the order of StepRow, and the sum.
void draw_ledger_waterfall(ImDrawList& list, LedgerState& state);
/// Draws one stacked bar per step, with its length and utilization.
void draw_ledger_steps(LedgerState& state);
/// Draws the bounds of the shown step and the formula of its utilization.
void draw_ledger_ceiling(ImDrawList& list, const LedgerState& state);

}  // namespace kino
