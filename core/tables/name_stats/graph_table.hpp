// Launches of CUDA and HIP graphs: the number of launches, and the work and duration of a replay.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/duration_list.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

/// Launches that probably belong to one graph. Traces do not identify graphs, so launches are grouped if
/// their calls have equal names and their work has equal names with equal counts.
struct GraphRow {
  NameId call{};               ///< the launching call
  std::vector<NameId> work;    ///< names of the work of one replay, sorted; empty if the work is not in the
                               ///< trace
  std::uint64_t kernels = 0;   ///< number of kernels in one replay; copies and memsets do not count
  bool whole = false;          ///< whether each replay was recorded as one piece of work: see
                               ///< kWholeGraphCategory
  DurationStats replay;        ///< durations of replays, from the start of the first work to the end of the
                               ///< last
  std::int64_t busy_ns = 0;    ///< summed durations of the work of all replays
  std::int64_t cpu_ns = 0;     ///< summed durations of the launch calls
  NameId longest_work{};       ///< work name with the most time in all replays; 0 if there is no work
  SliceId slowest = kNoSlice;  ///< first work of the longest replay, or the first launch if there is none
  std::vector<SliceId> launches;
};

/// Returns the graphs launched in the range, most busy time first. All work of these launches counts, even
/// outside of the range. O(slices + work log work of a replay).
std::vector<GraphRow> graph_rows(const Trace& trace, TimeRange range, const std::stop_token& stop = {});

/// Table `graphs`: one row per graph.
Table graph_table(const Trace& trace, const std::vector<GraphRow>& rows);
extern const TableKind<RangeParts> kGraphTable;

}  // namespace kino
