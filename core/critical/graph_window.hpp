// Window of a recording that the critical path fills: its steps with the work launched in them.
#pragma once

#include "core/critical/rank_work.hpp"

namespace kino {

/// Sets RankGraph::window and step_ends. The window is from the begin of the first step to the end of the last
/// one: that of its annotation, or of work launched in it. Without steps, it is from the first event to the
/// end of the last event other than a final synchronization. O(work + lines).
void set_window(RankGraph& rank, const RankWork& works);

}  // namespace kino
