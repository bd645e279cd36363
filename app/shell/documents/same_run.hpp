// Which open documents are recordings of the same run, by their clocks, and what they get to know of each
// other.
#pragma once

#include "app/shell/documents/session.hpp"

namespace kino {

/// Tells each trace which open snapshots have its clock and which pages have counters for it, each page the
/// open traces, and each device of a snapshot the trace of its clock: of several the one that knows its GPU,
/// and shares most time. Panels hold on to what they show, so documents may close and be read again. To be
/// called when Session::generation() has changed. O(traces * devices * processes).
void match_runs(const Session& session);

}  // namespace kino
