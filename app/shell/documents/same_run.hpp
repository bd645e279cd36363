// Which open documents are recordings of the same run, by their clocks, and what they get to know of each
// other.
#pragma once

#include "app/shell/documents/session.hpp"

namespace kino {

/// Tells each trace which open snapshots have its clock and which dump of a flight recorder is of its rank
/// and time, each of those dumps which trace that is, and each device of a snapshot which trace has its: of
/// several the one that knows its GPU, and shares most time. Panels hold on to what they show, so documents
/// may close and be read again. To be called when Session::generation() has changed. O(traces * devices *
/// processes).
void match_runs(const Session& session);

}  // namespace kino
