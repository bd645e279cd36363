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
  std::string common;     ///< common prefix of all candidates, including the word
  /// candidates; columns of the tables named in the text first, each part by name
  std::vector<std::string> words;
};

/// Completes the word that ends at `cursor`. Returns no candidates if no word ends there. After "table." only
/// columns of that table match. Columns of tables that the text names precede all other candidates. O(names).
Completion completion_at(std::string_view sql, std::size_t cursor, const std::vector<SqlTableName>& tables);

}  // namespace kino
