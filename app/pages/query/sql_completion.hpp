// What the word before the cursor of a query may become: names of tables and columns, functions, words of
// SQL.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/query/query_session.hpp"

namespace kino {

struct Completion {
  std::size_t begin = 0;           ///< of the word, in bytes of the text
  std::string common;              ///< what all candidates begin with, from the word's begin
  std::vector<std::string> words;  ///< candidates, those that stand in the text first, then by name
};

/// Of the word that ends at `cursor`; no candidates where there is none. Behind "table." only that table's
/// columns count; columns of tables that the text names come before others. O(names).
Completion completion_at(std::string_view sql, std::size_t cursor, const std::vector<SqlTableName>& tables);

}  // namespace kino
