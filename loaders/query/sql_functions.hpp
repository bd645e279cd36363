// SQL functions that SQLite lacks: extract_arg, trace_start, percentile, regexp, ...
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers the functions listed in README.md. Returns SQLite's result code.
int register_functions(sqlite3* database, QueryContext& context);

/// Returns whether a statement may call the function. The program's functions are permitted, and functions of
/// SQLite that read neither files nor settings.
bool function_allowed(std::string_view name);

}  // namespace kino
