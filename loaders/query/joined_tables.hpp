// Tables of our own that are joined already: a row a kernel, copy, launch, operator, collective, step, gap,
// wait or annotation, with what belongs to it.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers kernel, copy, launch, operator, collective, step, gap, sync, annotation, damage and file.
/// README.md has their columns. SQLite's result code.
int register_joined_tables(sqlite3* database, QueryContext& context);

}  // namespace kino
