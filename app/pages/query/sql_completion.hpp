// Completion of the word before the cursor of a query: names of tables and columns, functions, SQL keywords.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/query/query_session.hpp"

namespace kino {

struct Completion {
  std::size_t begin = 0;  ///< start of the word, in bytes of the text
  std::string common;     ///< common prefix of all candidates, ignoring case; includes the word
  /// candidates by name; columns of the tables that the text names precede the others
  std::vector<std::string> words;
};

/// Completes the word that ends at `cursor`. After "table.", only columns of that table match. Columns of
/// tables that the text names precede all other candidates. Returns no candidates if neither a word nor
/// "table." ends there. O(names + tables * length of the text).
Completion completion_at(std::string_view sql, std::size_t cursor, const std::vector<SqlTableName>& tables);

enum class SqlNameKind { table, column, function };
/// Returns the known name that is closest to a mistyped one, ignoring case (nearest_name()). Empty if none is
/// close. Columns of tables that `sql` names precede those of other tables.
std::string nearest_sql_name(std::string_view word, SqlNameKind kind, std::string_view sql,
                             const std::vector<SqlTableName>& tables);

}  // namespace kino
