// Tables of an allocator snapshot in SQL: allocations, allocator events, segments, frames of stacks.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers allocation, memory_event, segment and frame, which are empty for traces. Returns SQLite's result
/// code.
int register_snapshot_tables(sqlite3* database, QueryContext& context);

}  // namespace kino
