// Permissions of a query: before a statement runs, SQLite requests permission for each of its actions.
#pragma once

#include <sqlite3.h>

#include "loaders/query/virtual_table.hpp"

namespace kino {

class DefinedFunctions;

/// Limits lengths and depths, disables settings that let SQL access other files, and installs an authorizer.
/// The authorizer permits reading, temporary tables and views, the joins of span_join.hpp, and the functions
/// of function_allowed() and of the query itself. If it refuses an action, the reason is in
/// QueryContext::refusal.
class QueryGuard {
 public:
  QueryGuard(QueryContext& context, const DefinedFunctions& defined) : context_(context), defined_(defined) {}
  /// Sets up the connection, and returns SQLite's result code. This object must outlive the connection.
  int protect(sqlite3* database);

 private:
  static int authorize(void* guard, int action, const char* first, const char* second, const char* database,
                       const char* source);
  bool allows(int action, const char* first, const char* second, const char* database);
  std::string refusal_of(int action, const char* first, const char* second) const;

  QueryContext& context_;
  const DefinedFunctions& defined_;
};

}  // namespace kino
