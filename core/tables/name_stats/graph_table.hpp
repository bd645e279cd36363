// Launches of CUDA and HIP graphs: the number of launches, the work of a replay, and its duration.
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

/// Launches that probably belong to one graph: their work has equal names with equal counts. Traces do not
/// name graphs.
struct GraphRow {
  NameId call{};               ///< the launching call
  std::vector<NameId> work;    ///< work of one replay, sorted; empty: not in the trace
  std::uint64_t kernels = 0;   ///< of one replay, without copies and memsets
  bool whole = false;          ///< replays were recorded as one piece of work: see kWholeGraphCategory
  DurationStats replay;        ///< from the begin of its first work to the end of its last
  std::int64_t busy_ns = 0;    ///< sum of the work of all replays
  std::int64_t cpu_ns = 0;     ///< sum of the launches
  NameId longest_work{};       ///< name with the most time in all replays; 0 without work
  SliceId slowest = kNoSlice;  ///< first work of the longest replay, or the first launch if there is none
  std::vector<SliceId> launches;
};

/// Launches that start in the range, with all their work, even outside of the range; most busy time first.
/// O(slices + work log work of a replay).
std::vector<GraphRow> graph_rows(const Trace& trace, TimeRange range, const std::stop_token& stop = {});

/// Table `graphs`: one row per graph.
Table graph_table(const Trace& trace, const std::vector<GraphRow>& rows);
extern const TableKind<RangeParts> kGraphTable;

}  // namespace kino
