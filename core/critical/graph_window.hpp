// Window of a recording that the critical path fills: its steps with the work launched in them.
#pragma once

#include "core/critical/rank_work.hpp"

namespace kino {

/// Sets RankGraph::window and step_ends. The window extends from the start of the first step to the latest
/// end of a step's annotation or of work launched in a step. Without steps, it extends from the first event
/// to the end of the last event other than a final synchronization. O(work + lines).
void set_window(RankGraph& rank, const RankWork& works);

}  // namespace kino
