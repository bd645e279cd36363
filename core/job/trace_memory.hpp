// The allocations that the profiler recorded in a trace ([memory] events), as an allocator snapshot.
#pragma once

#include <memory>
#include <stop_token>

#include "core/base/library_frames.hpp"
#include "core/memory/snapshot.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether the trace has any.
inline bool has_memory_events(const Trace& trace) { return trace.arguments.memory_time_ns.size() > 0; }

/// A device each for the accelerators, by id, and one for the host. The stack of an entry is what lay around
/// it on its thread: operators, Python functions and annotations but steps, the innermost first. A free of an
/// address that the trace has not seen allocated makes an allocation that is older than the trace; what the
/// allocator says was there before and is not freed is one more, so that totals are right. What is reserved
/// follows from "Total Reserved", as segment entries without addresses; there are no segments. Regions of the
/// first thread with steps become annotations. O(events * (depth + log slices)). Of no use when stopped.
std::shared_ptr<const Snapshot> snapshot_of_trace(const Trace& trace, const LibraryList& libraries,
                                                  const std::stop_token& stop = {});

}  // namespace kino
