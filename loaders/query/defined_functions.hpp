// CREATE PERFETTO FUNCTION: a SELECT with arguments, as a function of one value or as a table.
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

/// Those of one connection. Bodies are statements of their own with bound arguments, so that an argument
/// called `ts` stays the caller's whatever the body calls ts.
class DefinedFunctions {
 public:
  /// How many calls of others a call may come to: functions that call two others each grow as powers of two.
  static constexpr std::uint64_t kMostCalls = 1'000'000;

  explicit DefinedFunctions(QueryContext& context) : context_(context) {}

  /// What is wrong with it, if anything: a body that SQLite refuses, calls of itself, too many calls.
  std::optional<Error> define(sqlite3* database, const SqlStep& step);
  bool knows(std::string_view name) const;

  /// A function of one value. SQLite holds it by its address, and a statement of the connection is in it: so
  /// it is here, not there, or the connection would wait for itself to close.
  struct Scalar {
    std::string name;
    std::vector<SqlParameter> parameters;
    SqlStatement body;
    bool running = false;
  };

 private:
  QueryContext& context_;
  std::vector<std::unique_ptr<Scalar>> scalars_;
  std::map<std::string, std::uint64_t, std::less<>> calls_;  // by name in lower case: of others, and one
};

}  // namespace kino
