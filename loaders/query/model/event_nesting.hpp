// Nests the events of a trace like Perfetto: by thread, with instants. Slices that cross an open slice get
// another lane.
#pragma once

#include <stop_token>

#include "loaders/query/model/query_model.hpp"

namespace kino {

/// Events are sorted by (start, longer first, position in the file), and the parent is the innermost open
/// slice. A slice that ends where the next one starts is closed, but events without duration nest in one at
/// the same time. Events that do not fit use the first further lane in which they do (of at most kMostLanes).
/// Async tracks keep the trace's lanes.
Nesting nest_events(const QueryModel& model, const std::stop_token& stop);

}  // namespace kino
