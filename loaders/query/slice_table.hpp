// The tables of kSliceTables, such as `slice`. Rows are events. Filters on time and track restrict the scan to
// ranges of rows.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "loaders/query/virtual_table.hpp"

namespace kino {

enum class SliceScope : std::uint8_t {
  all,
  instants,      ///< events without duration
  on_threads,    ///< events on threads; the columns of threads and processes are visible
  on_processes,  ///< events on async tracks; the columns of threads and processes are visible
  on_threads_or_processes,
};

/// Tables by name.
inline constexpr std::pair<const char*, SliceScope> kSliceTables[] = {
    {"slice", SliceScope::all},
    {"instant", SliceScope::instants},
    {"thread_slice", SliceScope::on_threads},
    {"process_slice", SliceScope::on_processes},
    {"thread_or_process_slice", SliceScope::on_threads_or_processes}};

/// Creates one of the tables. Its cursor uses filters on id, parent_id, link_id, track_id, ts, ts_end, dur,
/// name, name_id and category to skip rows. Rows that are grouped by EventKeys are returned in groups,
/// without sorting.
std::unique_ptr<SqlTable> slice_table(SliceScope scope, QueryContext& context);
/// Returns whether `sums` refers to one of these tables, and the table can sum up its rows.
bool slices_add_up(const RowSums& sums);

}  // namespace kino
