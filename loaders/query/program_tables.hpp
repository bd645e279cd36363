// The program's own tables in SQL: for example, `table_kernels` has the rows of `kinetoscope table kernels`.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers one table per table_kinds(), and per snapshot_table_kinds() of one snapshot, with '_' for '-' in
/// names. If a table of traces has several groupings, each one after the first is a further table, such as
/// `table_ledger_row`. Columns have the keys of the first file's table. The last column, `slice_id` or
/// `allocation_id`, is the event or allocation that a row refers to. Snapshot tables use the defaults of the
/// command `table`: the device with the highest peak, at its peak. Tables are computed on first use and
/// stored with the model. Returns SQLite's result code.
int register_program_tables(sqlite3* database, QueryContext& context);

}  // namespace kino
