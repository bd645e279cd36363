// Which open documents are recordings of the same run, by their clocks, and what they get to know of each
// other.
#pragma once

#include "app/session.hpp"

namespace kino {

/// Tells each trace which open snapshots have its clock, and each snapshot which trace has its: of several
/// the one that knows its device's GPU, and shares most time. Panels hold on to what they show, so documents
/// may close and be read again. Once a frame. O(documents^2).
void match_runs(const Session& session);

}  // namespace kino
