// `slice`, `instant`, `thread_slice` and `process_slice`: rows are events, and conditions become places in
// the columns.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "loaders/query/virtual_table.hpp"

namespace kino {

enum class SliceScope : std::uint8_t {
  all,
  instants,      ///< without length
  on_threads,    ///< with the columns of threads, as
  on_processes,  ///< and
  on_threads_or_processes,
};

/// By name.
inline constexpr std::pair<const char*, SliceScope> kSliceTables[] = {
    {"slice", SliceScope::all},
    {"instant", SliceScope::instants},
    {"thread_slice", SliceScope::on_threads},
    {"process_slice", SliceScope::on_processes},
    {"thread_or_process_slice", SliceScope::on_threads_or_processes}};

/// Conditions on id, parent_id, link_id, track_id, ts, ts_end, dur, name and category are answered from the
/// columns; what is grouped by EventKeys comes in groups, without sorting.
std::unique_ptr<SqlTable> slice_table(SliceScope scope, QueryContext& context);
/// Whether one of those tables, by name, can add up its rows so.
bool slices_add_up(const RowSums& sums);

}  // namespace kino
