// CREATE PERFETTO FUNCTION: defines a SELECT with arguments as a function that returns one value or a table.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loaders/query/sql_text/perfetto_statements.hpp"
#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Functions defined in one connection. Bodies are separate statements with bound arguments, so an argument
/// called `ts` remains the caller's value even if the body has a column ts.
class DefinedFunctions {
 public:
  /// Maximum number of calls of other functions that one call may cause: functions that call two others each
  /// grow exponentially.
  static constexpr std::uint64_t kMostCalls = 1'000'000;

  explicit DefinedFunctions(QueryContext& context) : context_(context) {}

  /// Defines a function. Returns an error if SQLite rejects the body, or if the function calls itself or too
  /// many others.
  std::optional<Error> define(sqlite3* database, const SqlStep& step);
  bool knows(std::string_view name) const;

  /// A function that returns one value. SQLite holds a pointer to this object but does not own it: its body
  /// is a statement of the connection, which could then never be closed.
  struct Scalar {
    std::string name;
    std::vector<SqlParameter> parameters;
    SqlStatement body;
    bool running = false;
  };

 private:
  QueryContext& context_;
  std::vector<std::unique_ptr<Scalar>> scalars_;
  // number of calls of other functions plus one, by function name in lower case
  std::map<std::string, std::uint64_t, std::less<>> calls_;
};

}  // namespace kino
