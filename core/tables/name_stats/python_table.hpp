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
  std::int64_t total_ns = 0;  ///< calls within calls of the same name count twice
  std::int64_t longest_ns = -1;
  SliceId longest = kNoSlice;  ///< first of equals
};

/// Recorded functions with a part in the range, most self time first. O(slices of the trace's threads up to
/// the range's end, and the depth of slices outside of functions).
std::vector<PythonRow> python_rows(const Trace& trace, TimeRange range, const std::stop_token& stop = {});

/// Table `python`: one row per function.
Table python_table(const Trace& trace, const std::vector<PythonRow>& rows);
extern const TableKind<RangeParts> kPythonTable;

}  // namespace kino
