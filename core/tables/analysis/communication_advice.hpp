// Advice on exposed communication, adapted to the workload of the trace.
#pragma once

#include "core/base/messages/message.hpp"
#include "core/tables/analysis/step_costs.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether the trace contains a backward pass or an optimizer, judged by event names. O(names).
bool is_training(const Trace& trace);

/// Returns one or two sentences. Only training has gradient buckets, and only for collectives other than
/// all-to-all and messages. Without compute in the trace, nothing can hide communication. Traces of other
/// ranks are recommended only if this trace lacks some of the communicating GPUs. O(slices).
Message communication_fix(const Trace& trace, const StepCost& cost);

/// Whether the trace is of an LLM server, which reserves memory at start-up according to its settings.
/// O(names).
bool is_server(const Trace& trace);

/// Whether a collective may be waiting for ranks that start later (one rank alone cannot prove it). It takes
/// at least 1 ms and ten times the median of the other calls of its name on its GPU. No call before it takes
/// a tenth of its time. It is a broadcast, as when parameters are sent, or the GPU's first collective.
/// O(slices).
bool waits_for_first_collective(const Trace& trace, SliceId work);

}  // namespace kino
