// The tables of the page of the critical path: time by cause, name, rank and step, and the longest pieces.
#pragma once

#include "app/pages/critical/critical_state.hpp"

namespace kino {

/// Draws the tabs and the chosen table. A click on a row shows its longest piece in the timeline; for a job, in
/// the trace of its rank. Requires CriticalState::has_path(). O(visible rows).
void draw_path_table(CriticalState& state);

/// Returns the name of a table for tests: "cause", "name", "rank", "step", "longest".
const char* tab_key(PathTab tab);

}  // namespace kino
