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
  /// Maximum number of calls in a body after expanding the bodies of the called functions, plus one. (If each
  /// function calls two others, the number grows exponentially.)
  static constexpr std::uint64_t kMostCalls = 1'000'000;

  explicit DefinedFunctions(QueryContext& context) : context_(context) {}

  /// Defines a function. Returns an error if the name exists (without OR REPLACE), or if the body is invalid
  /// or returns a different number of columns. Also returns an error if the function calls itself or too many
  /// others.
  std::optional<Error> define(sqlite3* database, const SqlStep& step);
  bool knows(std::string_view name) const;

  /// A function that returns one value. SQLite holds a pointer to this object but does not own it. The body
  /// is a statement of the connection, and a connection that owned it could never be closed.
  struct Scalar {
    std::string name;
    std::vector<SqlParameter> parameters;
    SqlStatement body;
    bool running = false;
  };

 private:
  QueryContext& context_;
  std::vector<std::unique_ptr<Scalar>> scalars_;
  // by function name in lower case: number of calls in its body after expanding the bodies of the called
  // functions, plus one
  std::map<std::string, std::uint64_t, std::less<>> calls_;
};

}  // namespace kino
