// Waits of streams for events of other streams, concluded from the wait calls of threads.
#pragma once

#include <stop_token>
#include <vector>

#include "core/critical/gpu_dependences.hpp"

namespace kino {

/// Appends the edges of waits for events, concluded from the wait calls of the threads. Counts
/// RankGraph::sourceless_waits.
void add_event_waits(const EdgeInputs& inputs, std::vector<DraftEdge>& edges,
                     const std::stop_token& stop = {});

}  // namespace kino
