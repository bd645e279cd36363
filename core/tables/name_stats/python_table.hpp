// Python functions by name: calls, time with and without the functions they call.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

/// Durations are clipped to the range.
struct PythonRow {
  NameId name{};
  std::uint64_t calls = 0;
  std::int64_t self_ns = 0;   ///< without the Python functions that it calls directly
  std::int64_t total_ns = 0;  ///< a call within one of the same name counts in both
  std::int64_t longest_ns = -1;
  SliceId longest = kNoSlice;  ///< the first of those
};

/// Recorded functions with a part in the range, the most time of their own first. O(slices of the trace's
/// threads up to the range's end + depth of what no function lies around).
std::vector<PythonRow> python_rows(const Trace& trace, TimeRange range, const std::stop_token& stop = {});

/// `python`: a row a function.
Table python_table(const Trace& trace, const std::vector<PythonRow>& rows);
extern const TableKind<RangeParts> kPythonTable;

}  // namespace kino
