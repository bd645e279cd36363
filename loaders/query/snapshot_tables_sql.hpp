// SQL tables of an allocator snapshot: allocations, allocator events, segments, frames of stacks.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers the tables allocation, memory_event, segment and frame, which are empty for traces. Returns
/// SQLite's result code.
int register_snapshot_tables(sqlite3* database, QueryContext& context);

}  // namespace kino
