// Nests the events of a trace as Perfetto does: by thread, including instants. Slices that cross an open
// slice are in another lane.
#pragma once

#include <stop_token>

#include "loaders/query/model/query_model.hpp"

namespace kino {

/// Nests events sorted by (start, longer first, position in the file); the parent is the innermost open
/// slice. A slice that ends where the next one starts is closed, but zero-duration events nest in one at the
/// same time. Events that do not fit use the first further lane in which they fit (of at most kMostLanes).
/// Async tracks keep the lanes of the trace.
Nesting nest_events(const QueryModel& model, const std::stop_token& stop);

}  // namespace kino
