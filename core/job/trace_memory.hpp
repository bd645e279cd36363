// Converts the allocations in a trace ([memory] events) into an allocator snapshot.
#pragma once

#include <memory>
#include <stop_token>

#include "core/base/library_frames.hpp"
#include "core/memory/snapshot.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns whether the trace has memory events.
inline bool has_memory_events(const Trace& trace) { return trace.arguments.memory_time_ns.size() > 0; }

/// Returns a snapshot with one device per accelerator, sorted by id, and then one for the host. The stack of
/// an entry contains the slices around it on its thread, innermost first: operators, Python functions, and
/// annotations except steps. A free of an address without an allocation in the trace adds an allocation from
/// before the trace. Memory that the allocator's totals include before the first event, and that is never
/// freed, is one more allocation. Reserved memory follows "Total Reserved" as segment entries without
/// addresses; there are no segments. Annotations are those of the first thread with steps. O(events * (depth
/// + log slices)).
std::shared_ptr<const Snapshot> snapshot_of_trace(const Trace& trace, const LibraryList& libraries,
                                                  const std::stop_token& stop = {});

}  // namespace kino
