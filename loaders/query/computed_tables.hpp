// Tables that core computes in one pass over the columns: statistics of names in a range, and a comparison of
// two files' kernels.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers the tables `name_stats` and `diff_kernel` (README.md). Returns SQLite's result code.
int register_computed_tables(sqlite3* database, QueryContext& context);

}  // namespace kino
