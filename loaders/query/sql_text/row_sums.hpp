// Detects statements that only add up the rows of one table, from SQLite's program for them.
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

/// The columns of a statement that adds up the rows of a virtual table. One row can then represent all rows
/// with the same keys. If it has their sums, means and extremes instead of the columns, and their number
/// for kCountedFunction, SQLite computes the same result.
struct RowSums {
  enum class Figure : std::uint8_t { key, sum, mean, least, most, count };
  struct Read {
    int column = 0;
    Figure figure = Figure::key;
    bool operator==(const Read&) const = default;
  };
  std::string table;
  /// The columns in the order in which SQLite reads them at each row. Columns read after them are those of
  /// the first row.
  std::vector<Read> reads;
  std::size_t keys = 0;  ///< number of keys at the front of `reads`; 0: all rows are one group
};

/// Replacement for count: SQLite's own cannot count a row several times.
inline constexpr std::string_view kCountedFunction = "rows_counted";
/// Returns `sql` with kCountedFunction instead of count. O(length).
std::string with_counted_rows(std::string_view sql);

/// nullopt if the program does more than add up the rows of one virtual table, or contains unknown steps.
/// O(steps).
std::optional<RowSums> row_sums(std::span<const ProgramStep> program);

}  // namespace kino
