// Names the calls in which a thread spends the idle time of findings.
#pragma once

#include <span>
#include <stop_token>

#include "core/tables/analysis/step_costs.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// For data loading, waiting and driver memory, sets the slice of each example to the call that overlaps it
/// longest. Also sets the members on loaders, waits, memory calls, the longest gaps and other threads.
/// `blocking_calls` is the result of find_blocking_calls(). O(slices + examples * calls).
void name_idle_calls(const Trace& trace, std::span<const SliceId> blocking_calls, StepCosts& costs,
                     const std::stop_token& stop = {});

}  // namespace kino
