// The program's own tables in SQL: `table_kernels` is what `kinetoscope table kernels` prints, and so on.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers a table for each of table_kinds(), '-' in names as '_'. Columns have the keys of the table's
/// own; `slice_id` is where a row leads. They are computed when first asked for, and kept with the model.
/// SQLite's result code.
int register_program_tables(sqlite3* database, QueryContext& context);

}  // namespace kino
