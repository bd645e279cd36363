// Whether a statement only adds up the rows of one table, which SQLite's own program of it tells.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// A row of EXPLAIN (sqlite.org/opcode.html).
struct ProgramStep {
  std::string opcode;
  int p1 = 0;
  int p2 = 0;
  int p3 = 0;
  std::string p4;
};

/// How a statement that adds up the rows of a virtual table asks for each of them. Then one row may stand for
/// all those with the same keys: with their sums, means and ends in place of the columns, and with their
/// number for kCountedFunction, SQLite computes what it would of all.
struct RowSums {
  enum class Figure : std::uint8_t { key, sum, mean, least, most, count };
  struct Read {
    int column = 0;
    Figure figure = Figure::key;
    bool operator==(const Read&) const = default;
  };
  std::string table;
  /// The columns in the order in which SQLite asks for them at each row; those that it asks for behind are of
  /// the first of the rows.
  std::vector<Read> reads;
  std::size_t keys = 0;  ///< the first of `reads`; none: all rows are one group
};

/// What count is called in a statement that may turn out to be such: SQLite's own cannot count for many.
inline constexpr std::string_view kCountedFunction = "rows_counted";
/// `sql` with that in place of count. The same text when it does not count. O(length).
std::string with_counted_rows(std::string_view sql);

/// Nothing for programs that do more than add up the rows of one virtual table, or that it does not know.
/// O(steps).
std::optional<RowSums> row_sums(std::span<const ProgramStep> program);

}  // namespace kino
