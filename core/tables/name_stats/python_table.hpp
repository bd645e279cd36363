// Python functions by name: number of calls, total time and self time.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

/// Calls of one Python function. Durations are clipped to the range.
struct PythonRow {
  NameId name{};
  std::uint64_t calls = 0;
  std::int64_t self_ns = 0;   ///< time minus that of the Python functions that the function calls directly
  std::int64_t total_ns = 0;  ///< sum of durations; the time of recursive calls counts again
  std::int64_t longest_ns = -1;
  SliceId longest = kNoSlice;  ///< longest call; the first if several are equal
};

/// Returns the recorded functions that overlap the range, most self time first. O(slices of the trace's
/// threads up to the end of the range, plus the depth of slices outside of functions).
std::vector<PythonRow> python_rows(const Trace& trace, TimeRange range, const std::stop_token& stop = {});

/// Table `python`: one row per function.
Table python_table(const Trace& trace, const std::vector<PythonRow>& rows);
extern const TableKind<RangeParts> kPythonTable;

}  // namespace kino
