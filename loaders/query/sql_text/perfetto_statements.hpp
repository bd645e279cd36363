// Statements as Perfetto's users write them, as SQLite's: INCLUDE, CREATE PERFETTO and _interval_intersect!.
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
  std::string sql;         ///< of a function: its body
  std::size_t offset = 0;  ///< of `sql` in the text, as far as it stands there
  bool gives_rows = false;
  // Of a function:
  std::string name;
  bool replace = false;
  std::vector<SqlParameter> parameters;
  std::vector<SqlParameter> columns;  ///< RETURNS TABLE; empty: one value
};

/// The steps of a text of statements. Fails with a sentence, and the place, for what is refused or not
/// understood. `made` counts the tables that _interval_intersect! needs, over the texts of a connection.
/// O(length).
Result<std::vector<SqlStep>> sql_steps(std::string_view sql, int& made);

}  // namespace kino
