// Converts the rows of a query to counter tracks of the timeline, one per value of the column `lane`.
#pragma once

#include <memory>
#include <string>

#include "core/tables/table.hpp"
#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Converts the rows of a query to counters. With a column `value`, each row sets the counter from `ts` (Unix
/// ns) on; if several rows have the same time, the last one counts. Without this column, the counter is the
/// number of rows that are active at each time, according to `ts` and `dur`. Rows without these values are
/// ignored. Each value of `lane` has a track; without this column, each value of `name`. Only the 24 values
/// with the most rows have their own track, sorted by name. The remaining rows share a track named `title`;
/// the track of rows with an empty value has the same name. Returns null if no row is left, or if the trace
/// has no tracks. O(rows log rows).
std::shared_ptr<const CounterTracks> track_of_result(const Table& rows, const Trace& trace,
                                                     const std::string& title);

}  // namespace kino
