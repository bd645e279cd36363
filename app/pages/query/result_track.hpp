// The rows of a query as counters in the timeline, one per lane.
#pragma once

#include <memory>
#include <string>

#include "core/tables/table.hpp"
#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Converts the rows of a query to counters. Rows with `ts` (Unix ns) and `value` set the counter from that
/// time on; of rows with equal times, the last one counts. For rows with `ts` and `dur`, the counter is the
/// number of rows that run at a time. Other rows are ignored. Returns null if no row is left. Each `lane`
/// (without this column, each `name`) is a track of that name. Only the 24 lanes with most rows have a track,
/// sorted by name. The remaining rows, and rows without lanes, share a track named `title`. O(rows log rows).
std::shared_ptr<const CounterTracks> track_of_result(const Table& rows, const Trace& trace,
                                                     const std::string& title);

}  // namespace kino
