// What a query may do: SQLite asks for each thing that a statement needs, before it runs.
#pragma once

#include <sqlite3.h>

#include "loaders/query/virtual_table.hpp"

namespace kino {

class DefinedFunctions;

/// Bounds of lengths and depths, no settings that let SQL reach out, and an authorizer: reading, temporary
/// tables and views, and the functions of function_allowed(). What is refused is said in
/// QueryContext::refusal.
class QueryGuard {
 public:
  QueryGuard(QueryContext& context, const DefinedFunctions& defined) : context_(context), defined_(defined) {}
  /// SQLite's result code. Must outlive the connection.
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
