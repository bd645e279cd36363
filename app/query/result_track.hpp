// The rows of a query as a counter in the timeline.
#pragma once

#include <memory>
#include <string>

#include "core/table/table.hpp"
#include "core/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Of rows with `ts` (Unix ns) and `value`: the value from there on, and where several have one time, that of
/// the last of them. Of rows with `ts` and `dur`: how many of them run at a time. Rows without are left out;
/// null when there are none of either. `title` names the track, which stands above all others. O(rows log
/// rows).
std::shared_ptr<const CounterTracks> track_of_result(const Table& rows, const Trace& trace,
                                                     const std::string& title);

}  // namespace kino
