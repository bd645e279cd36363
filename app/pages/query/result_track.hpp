// The rows of a query as counters in the timeline, one per lane.
#pragma once

#include <memory>
#include <string>

#include "core/tables/table.hpp"
#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Rows with `ts` (Unix ns) and `value` set the value from that time; of equal times the last row counts.
/// Rows with `ts` and `dur` count how many run at a time. Other rows are ignored; returns null if none is
/// left. Each `lane` (without that column, each `name`) is a track of that name. Only the 24 lanes with most
/// rows have a track, sorted by name. The remaining rows share a track named `title`, as do all rows without
/// lanes. O(rows log rows).
std::shared_ptr<const CounterTracks> track_of_result(const Table& rows, const Trace& trace,
                                                     const std::string& title);

}  // namespace kino
