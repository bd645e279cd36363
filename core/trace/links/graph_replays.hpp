// Launches of graphs with the GPU work of each.
#pragma once

#include <stop_token>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// A call that launched a graph, and the work that ran for it.
struct GraphReplay {
  SliceId launch = kNoSlice;
  std::vector<SliceId> work;  ///< kernels, copies and memsets in the order of SliceId; may be empty
};

/// Returns the graph launches that start in `range`, in the order of SliceId. All work of these launches
/// counts, even outside of the range. O(slices).
std::vector<GraphReplay> graph_replays(const Trace& trace, TimeRange range, const std::stop_token& stop = {});

}  // namespace kino
