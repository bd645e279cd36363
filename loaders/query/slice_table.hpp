// `slice`, `instant`, `thread_slice` and `process_slice`: rows are events, and conditions become places in
// the columns.
#pragma once

#include <memory>

#include "loaders/query/virtual_table.hpp"

namespace kino {

enum class SliceScope : std::uint8_t {
  all,
  instants,      ///< without length
  on_threads,    ///< with the columns of threads, as
  on_processes,  ///< and
  on_threads_or_processes,
};

/// Conditions on id, parent_id, link_id, track_id, ts, ts_end, name and category are answered from the
/// columns; groups by name, category or both come in groups, without sorting.
std::unique_ptr<SqlTable> slice_table(SliceScope scope, QueryContext& context);

}  // namespace kino
