// Joined tables of Kinetoscope: one row per kernel, copy, launch, operator, collective, step, gap, wait or
// annotation, with its related data.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers the tables kernel, copy, launch, operator, collective, step, gap, sync, annotation, damage and
/// file, described in README.md. Returns SQLite's result code.
int register_joined_tables(sqlite3* database, QueryContext& context);

}  // namespace kino
