// Tables whose rows are numbered: a count of rows, and a value for each row and column.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "loaders/query/virtual_table.hpp"

namespace kino {

struct ListedRows {
  std::string columns;  ///< as SqlTable::columns()
  int column_count = 0;
  int number_column =
      -1;  ///< a condition on it is a look-up: it holds the row's own number, or see of_number
  /// How many rows a model has; nothing when the clock runs out. It may compute what the rows are.
  std::function<bool(const QueryModel& model, QueryClock& clock, std::uint64_t& count)> count;
  std::function<void(sqlite3_context* out, const QueryModel& model, QueryClock& clock, std::uint64_t row,
                     int column)>
      give;
  /// Which rows [begin, end) have a number that is none of their own. Empty: the row of that number.
  std::function<void(const QueryModel& model, std::uint64_t number, std::uint64_t& begin, std::uint64_t& end)>
      of_number = {};
  bool of_one_file = true;  ///< as SqlTable::of_one_file()
};

std::unique_ptr<SqlTable> listed_table(ListedRows rows, QueryContext& context);

}  // namespace kino
