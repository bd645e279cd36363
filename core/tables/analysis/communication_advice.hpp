// Advice on exposed communication, adapted to the workload of the trace.
#pragma once

#include "core/base/messages/message.hpp"
#include "core/tables/analysis/step_costs.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether the trace contains a backward pass or an optimizer, judged by event names. O(names).
bool is_training(const Trace& trace);

/// Returns one or two sentences of advice on exposed communication. If waits_for_first_collective() is true
/// for a call that makes up at least half of `cost`, the advice is about this call. For other costs, the
/// advice explains how to hide communication, or that no recorded compute could hide it. It mentions
/// gradient buckets only for training, and only if a collective other than all-to-all, point-to-point
/// messages and barriers occurs. It recommends traces of other ranks unless the trace contains all ranks.
/// O(slices).
Message communication_fix(const Trace& trace, const StepCost& cost);

/// Whether event names show that an LLM server was recorded. Such a server reserves memory at start-up
/// according to its settings. O(names).
bool is_server(const Trace& trace);

/// Whether a collective may be waiting for ranks that start later; the trace of one rank cannot prove it.
/// True if all of these conditions hold. O(slices).
/// - The collective takes at least 1 ms, and ten times the median of the other calls of its name on its GPU.
/// - No earlier call of its name takes more than a tenth of its time.
/// - It is the GPU's first collective, or a broadcast, which usually sends the initial parameters. If no
/// other call has its name, it must be both.
bool waits_for_first_collective(const Trace& trace, SliceId work);

}  // namespace kino
