// Permissions of a query: SQLite requests one for each action of a statement before it runs.
#pragma once

#include <sqlite3.h>

#include "loaders/query/virtual_table.hpp"

namespace kino {

class DefinedFunctions;

/// Limits lengths and depths, disables settings that let SQL access other files, and installs an authorizer.
/// It permits reading, temporary tables and views, and the functions of function_allowed().
/// QueryContext::refusal has the reason of a refusal.
class QueryGuard {
 public:
  QueryGuard(QueryContext& context, const DefinedFunctions& defined) : context_(context), defined_(defined) {}
  /// Returns SQLite's result code. This object must outlive the connection.
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
