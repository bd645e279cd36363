// The critical path after a change: the chain that would bound the window, at the times of a replay.
#pragma once

#include <stop_token>

#include "core/critical/critical_path.hpp"
#include "core/critical/retiming.hpp"

namespace kino {

struct RetimedPath {
  /// Pieces in order of time. `range` is the time after the change; `slice` is the recorded event. The pieces
  /// fill the window.
  std::vector<PathPiece> pieces;
  TimeRange window;  ///< after the change
};

/// Replays the change with unexplained time as recorded, and returns the path that ends at the new end. An
/// edge is divided by cause like the recorded edge, with each part scaled like the cost that it shows.
/// Without changes, the pieces are those of critical_path(). Unspecified if stopped. O(edges + pieces).
RetimedPath retimed_path(const ActivityGraph& graph, const GraphChange& change,
                         const std::stop_token& stop = {});

}  // namespace kino
