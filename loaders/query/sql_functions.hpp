// SQL functions that SQLite lacks and Perfetto has: extract_arg, trace_start, percentile, regexp, ...
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers the functions in README.md. Returns SQLite's result code.
int register_functions(sqlite3* database, QueryContext& context);

/// Whether a statement may call the function: ours, and those of SQLite that read neither files nor settings.
bool function_allowed(std::string_view name);

}  // namespace kino
