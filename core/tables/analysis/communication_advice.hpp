// Advice on exposed communication that fits what the trace is of.
#pragma once

#include "core/base/messages/message.hpp"
#include "core/tables/analysis/step_costs.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether the trace has a backward pass or an optimizer, by the names of its events. O(names).
bool is_training(const Trace& trace);

/// Buckets are of gradients, so only training has them, and no all-to-all or message. Without any compute in
/// the trace, nothing can hide communication. The traces of other ranks help only where not all
/// GPUs that communicate are in this one. One or two sentences. O(slices).
Message communication_fix(const Trace& trace, const StepCost& cost);

/// Whether a server for language models ran, which reserves memory at its start as its settings say.
/// O(names).
bool is_server(const Trace& trace);

/// Whether a collective may wait for ranks that start later, which one rank cannot prove: it takes at least 1
/// ms and ten times the median of the others of its name on its GPU, none of those before it takes a tenth of
/// its time, and it is a broadcast, as when parameters are sent, or the GPU's first collective. O(slices).
bool waits_for_start(const Trace& trace, SliceId work);

}  // namespace kino
