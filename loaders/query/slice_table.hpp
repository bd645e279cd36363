// `slice`, `instant`, `thread_slice` and `process_slice`: rows are events, and filters select ranges of the
// columns.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "loaders/query/virtual_table.hpp"

namespace kino {

enum class SliceScope : std::uint8_t {
  all,
  instants,      ///< events without duration
  on_threads,    ///< with the columns of threads
  on_processes,  ///< with the columns of threads
  on_threads_or_processes,
};

/// Tables by name.
inline constexpr std::pair<const char*, SliceScope> kSliceTables[] = {
    {"slice", SliceScope::all},
    {"instant", SliceScope::instants},
    {"thread_slice", SliceScope::on_threads},
    {"process_slice", SliceScope::on_processes},
    {"thread_or_process_slice", SliceScope::on_threads_or_processes}};

/// The cursor evaluates filters on id, parent_id, link_id, track_id, ts, ts_end, dur, name and category
/// itself. Rows grouped by EventKeys are delivered in groups, without sorting.
std::unique_ptr<SqlTable> slice_table(SliceScope scope, QueryContext& context);
/// Whether `sums` is on one of those tables, and the table can add up its rows.
bool slices_add_up(const RowSums& sums);

}  // namespace kino
