// Tables with numbered rows, defined by a row count and a function that returns the value of a row and
// column.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "loaders/query/virtual_table.hpp"

namespace kino {

struct ListedRows {
  std::string columns;  ///< see SqlTable::columns()
  int column_count = 0;
  int number_column = -1;  ///< column by which rows are found, see of_number; -1: none
  /// Computes the number of rows for a model, and may also compute the rows. Returns false if the clock has
  /// run out.
  std::function<bool(const QueryModel& model, QueryClock& clock, std::uint64_t& count)> count;
  std::function<void(sqlite3_context* out, const QueryModel& model, QueryClock& clock, std::uint64_t row,
                     int column)>
      give;
  /// Returns the rows [begin, end) for a value of `number_column`. If this function is empty, the value is
  /// the row's index.
  std::function<void(const QueryModel& model, std::uint64_t number, std::uint64_t& begin, std::uint64_t& end)>
      of_number = {};
  bool of_one_file = true;  ///< see SqlTable::of_one_file()
};

std::unique_ptr<SqlTable> listed_table(ListedRows rows, QueryContext& context);

}  // namespace kino
