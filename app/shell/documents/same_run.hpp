// Matches open documents of the same run, by their clocks.
#pragma once

#include "app/shell/documents/session.hpp"

namespace kino {

/// Gives each trace the snapshots and counter pages of its run, each page the open traces, and each device of
/// a snapshot its trace. If several traces have the clock of a device, the device gets one that shows its
/// GPU; among these, the one that shares most time. Panels share ownership of the data, so documents may
/// close or reload. Call when Session::generation() has changed. O(traces * devices * processes).
void match_runs(const Session& session);

}  // namespace kino
