// Counters for a trace from an allocator snapshot of the same run: requested and reserved memory.
#pragma once

#include <stop_token>
#include <string_view>

#include "core/memory/snapshot.hpp"
#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns two counters per device that shares the trace's clock: MemoryCurve::requested and
/// MemoryCurve::reserved. The counters have a sample per change, in the trace's ns, from the snapshot's first
/// event on. They are shown above the GPU's streams, or above all tracks if the trace has no such GPU. If
/// memory rises and falls within one microsecond, the peak has its own sample. The tracks' names contain
/// `file`. O(entries).
CounterTracks snapshot_counters(const Trace& trace, const Snapshot& snapshot, std::string_view file,
                                const std::stop_token& stop = {});

}  // namespace kino
