// The place of an error in a query, and the name that was probably meant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/query/query_session.hpp"

namespace kino {

struct SqlMistake {
  std::size_t begin = 0;  ///< bytes of the query that are wrong; empty at its end
  std::size_t end = 0;
  std::size_t line = 1;    ///< from 1
  std::size_t column = 1;  ///< in characters, from 1
  std::string nearest;     ///< known name to use instead of these bytes; empty if none is close
};

/// Returns the place of an error in `sql`; nullopt if it is unknown. `problem` is the English sentence of
/// SQLite, and `offset` its byte in `sql`; with kNoOffset, the place is unknown. If the sentence names an
/// unknown table, column or function, that name is the place. O(size of `sql` + number of names).
std::optional<SqlMistake> sql_mistake(std::string_view sql, std::string_view problem, std::uint64_t offset,
                                      const std::vector<SqlTableName>& tables);

}  // namespace kino
