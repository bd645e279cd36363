// Nests the events of a trace as Perfetto does: by thread, including instants. Slices that cross an open
// slice are in another lane.
#pragma once

#include <stop_token>

#include "loaders/query/model/query_model.hpp"

namespace kino {

/// Nests events sorted by (start, longer first, position in the file); the parent is the innermost open
/// slice. A slice that ends where the next one starts is closed, but a zero-duration event is the parent of
/// the following events at the same time. An event that does not fit is placed in the first further lane in
/// which it fits. There are at most 256 lanes; if an event fits in none of them, the last lane starts anew.
/// Async tracks have the same lanes as in the trace.
Nesting nest_events(const QueryModel& model, const std::stop_token& stop);

}  // namespace kino
