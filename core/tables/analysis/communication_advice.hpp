// Advice on exposed communication, adapted to the workload of the trace.
#pragma once

#include "core/base/messages/message.hpp"
#include "core/tables/analysis/step_costs.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether the trace contains a backward pass or an optimizer, judged by event names. O(names).
bool is_training(const Trace& trace);

/// Returns one or two sentences of advice on how to hide exposed communication. Gradient buckets are
/// mentioned only for training, and not for all-to-all or point-to-point messages. If the trace has no
/// compute, nothing can hide communication. Traces of other ranks are recommended only if this trace lacks
/// some of the communicating GPUs. O(slices).
Message communication_fix(const Trace& trace, const StepCost& cost);

/// Whether the trace was recorded in an LLM server, which reserves memory at start-up according to its
/// settings. O(names).
bool is_server(const Trace& trace);

/// Whether a collective may be waiting for ranks that start later (one rank's trace cannot prove this). True
/// if all of the following hold. The collective takes at least 1 ms and ten times the median of the other
/// calls of its name on its GPU. No earlier call takes a tenth of its time. It is the GPU's first collective,
/// or a broadcast, which usually sends the initial parameters. O(slices).
bool waits_for_first_collective(const Trace& trace, SliceId work);

}  // namespace kino
