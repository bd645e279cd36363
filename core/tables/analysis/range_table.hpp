// Table of the sums of a selected range: one row per name and kind.
#pragma once

#include "core/tables/analysis/range_summary.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns the table, sorted by total, largest first, then by name and kind. A row links to the slice with
/// the longest part in the range. O(names * log names).
Table range_table(const Trace& trace, const RangeSummary& summary);
/// Not part of table_kinds(), since only the window can select a range of tracks.
extern const TableInfo kRangeTable;

}  // namespace kino
