// Launches of CUDA and HIP graphs: how often each graph was launched, what a replay runs, how long it takes.
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

/// Launches that are taken for those of one graph: their work has the same names, each as often. Traces name
/// no graphs.
struct GraphRow {
  NameId call{};               ///< of the launches
  std::vector<NameId> work;    ///< of one replay, sorted; empty: none is in the trace
  std::uint64_t kernels = 0;   ///< of one replay, copies and memsets not among them
  bool whole = false;          ///< replays were recorded as one piece of work: see kWholeGraphCategory
  DurationSpread replay;       ///< from the begin of its first work to the end of its last
  std::int64_t busy_ns = 0;    ///< summed durations of the work of all replays
  std::int64_t cpu_ns = 0;     ///< summed durations of the launches
  NameId longest_work{};       ///< name with the most time in all replays; of no work 0
  SliceId slowest = kNoSlice;  ///< the first work of the longest replay; the first launch where there is none
  std::vector<SliceId> launches;
};

/// Launches that start in the range, with all their work, whenever it runs; the most busy time first.
/// O(slices + work log work of a replay).
std::vector<GraphRow> graph_rows(const Trace& trace, TimeRange range, const std::stop_token& stop = {});

/// `graphs`: a row a graph.
Table graph_table(const Trace& trace, const std::vector<GraphRow>& rows);
extern const TableKind<RangeParts> kGraphTable;

}  // namespace kino
