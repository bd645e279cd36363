// The rows of a query as counters in the timeline, one a lane.
#pragma once

#include <memory>
#include <string>

#include "core/tables/table.hpp"
#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Of rows with `ts` (Unix ns) and `value`: the value from there on, and where several have one time, that of
/// the last of them. Of rows with `ts` and `dur`: how many of them run at a time. Rows without are left out;
/// null when there are none of either. Each `lane`, or without such a column each `name`, has a track of that
/// name: at most 24, those with the most rows, in order of names; what is left is one called `title`, as all
/// is without lanes. They stand above all others. O(rows log rows).
std::shared_ptr<const CounterTracks> track_of_result(const Table& rows, const Trace& trace,
                                                     const std::string& title);

}  // namespace kino
