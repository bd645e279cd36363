// The rows of the ranks of a job, with the critical path drawn through them.
#pragma once

#include "app/pages/critical/critical_state.hpp"

namespace kino {

/// Draws one row per rank on the axis of the lanes above, with the pieces of the path that are on the rank, and
/// vertical lines at the moments at which the path changes ranks. The rows scroll if they do not fit. A click on
/// a piece or on the name opens the trace of the rank. Requires CriticalState::has_path(), of a job.
/// O(visible rows * width).
void draw_path_ranks(CriticalState& state);

}  // namespace kino
