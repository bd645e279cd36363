// Translates Perfetto's additions to SQL (INCLUDE, CREATE PERFETTO and _interval_intersect!) into statements
// of SQLite.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace kino {

struct SqlParameter {
  std::string name;
  std::string type;
};

/// One step to run.
struct SqlStep {
  enum class Kind : unsigned char {
    sql,       ///< SQLite's own
    function,  ///< CREATE PERFETTO FUNCTION
  };
  Kind kind = Kind::sql;
  std::string sql;         ///< for a function: its body
  std::size_t offset = 0;  ///< offset of `sql` in the text
  bool gives_rows = false;
  // For functions:
  std::string name;
  bool replace = false;
  std::vector<SqlParameter> parameters;
  std::vector<SqlParameter> columns;  ///< columns of RETURNS TABLE; empty: one value
};

/// Returns the steps for a text of several statements. Fails, with the offset, if a statement is refused or
/// cannot be parsed. `made` counts the tables created for _interval_intersect! in the connection. O(length).
Result<std::vector<SqlStep>> sql_steps(std::string_view sql, int& made);

}  // namespace kino
