// The functions of SQL that SQLite has not, and Perfetto's users know: extract_arg, trace_start, percentile,
// regexp, ...
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// README.md lists them. SQLite's result code.
int register_functions(sqlite3* database, QueryContext& context);

/// Whether a statement may call this function: ours, and those of SQLite that read neither files nor
/// settings.
bool function_allowed(std::string_view name);

}  // namespace kino
