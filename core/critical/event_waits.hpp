// Waits of streams for events of other streams, recorded or concluded from the calls.
#pragma once

#include <stop_token>
#include <vector>

#include "core/critical/gpu_dependences.hpp"

namespace kino {

/// Appends the edges of waits for events. Uses the waits that cuda_sync events record; without any, the wait
/// calls of the threads.
void add_event_waits(const EdgeInputs& inputs, std::vector<DraftEdge>& edges,
                     const std::stop_token& stop = {});

}  // namespace kino
