// Nests the events of a trace as Perfetto does: by thread, instants too, what crosses an open slice in a
// further lane.
#pragma once

#include <stop_token>

#include "loaders/query/model/query_model.hpp"

namespace kino {

/// In order of (start, longer first, place in the file) the parent is the innermost open slice; a slice that
/// ends where the next one starts is closed, but events without length nest in one of the same moment. What
/// does not fit goes to the first further lane in which it does (at most kMostLanes are tried, then it stands
/// alone in the last). Async tracks keep the trace's lanes. Unfinished when stopped.
Nesting nest_events(const QueryModel& model, const std::stop_token& stop);

}  // namespace kino
