// Matches open documents that recorded the same run by their clocks.
#pragma once

#include "app/shell/documents/session.hpp"

namespace kino {

/// Gives each trace the snapshots and counter pages of its run, each page the open traces, and each device of
/// a snapshot its trace. Of several traces with the same clock, a device gets one that shows its GPU, then
/// the one that shares most time. Panels share ownership, so documents may close or reload. Call when
/// Session::generation() has changed. O(traces * devices * processes).
void match_runs(const Session& session);

}  // namespace kino
