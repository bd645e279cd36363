// The program's own tables in SQL: for example, `table_kernels` has the rows of `kinetoscope table kernels`.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers one table for each of table_kinds(), and for each of snapshot_table_kinds() that needs only one
/// snapshot. Names have '_' instead of '-'. If a table of traces has several groupings, each one after the
/// first is a further table, such as `table_ledger_row`. Columns have the keys of the first file's table. The
/// last column, `slice_id` or `allocation_id`, is the event or allocation that a row refers to. Snapshot
/// tables use the defaults of the command `table`: the device with the highest peak, at its peak. Tables are
/// computed on first use and stored with the model. Returns SQLite's result code.
int register_program_tables(sqlite3* database, QueryContext& context);

}  // namespace kino
