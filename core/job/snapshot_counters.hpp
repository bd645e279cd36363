// Counters of a trace that an allocator snapshot of the same run tells: what was active and reserved.
#pragma once

#include <stop_token>
#include <string_view>

#include "core/memory/snapshot.hpp"
#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Two counters a device whose clock the trace shares, in the trace's ns by Unix time, from the snapshot's
/// first event on: MemoryCurve::requested, then reserved, at their every change. They stand above the GPU's
/// streams, or first where the trace has no such GPU. A peak that is over within the microsecond of its event
/// is a sample of its own. `file` is named by the tracks. Of no use when stopped. O(entries).
CounterTracks snapshot_counters(const Trace& trace, const Snapshot& snapshot, std::string_view file,
                                const std::stop_token& stop = {});

}  // namespace kino
