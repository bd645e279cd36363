// The program's own tables in SQL: `table_kernels` is what `kinetoscope table kernels` prints, and so on.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers a table for each of table_kinds(), and of snapshot_table_kinds() that are of one snapshot, '-'
/// in names as '_'. Columns have the keys of the table's own, as the first file has them; `slice_id`, or
/// `allocation_id` of the device, is where a row leads. Those of snapshots are of the device and the moment
/// that the command `table` takes unless told: the highest peak. They are computed when first asked for, and
/// kept with the model. SQLite's result code.
int register_program_tables(sqlite3* database, QueryContext& context);

}  // namespace kino
