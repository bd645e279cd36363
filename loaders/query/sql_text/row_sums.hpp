// Detects statements that only sum up the rows of one table, from SQLite's compiled program.
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

/// Columns of a statement that sums up the rows of a virtual table. In such a statement, one row can
/// represent all rows with equal keys. SQLite computes the same result if the columns of this row contain the
/// sums, means and extremes of these rows, and kCountedFunction adds their number.
struct RowSums {
  enum class Figure : std::uint8_t { key, sum, mean, least, most, count };
  struct Read {
    int column = 0;
    Figure figure = Figure::key;
    bool operator==(const Read&) const = default;
  };
  std::string table;
  /// The columns in the order in which SQLite reads them at each row. Any column that is read later is from
  /// the first row.
  std::vector<Read> reads;
  std::size_t keys = 0;  ///< number of keys at the start of `reads`; 0: a single group
};

/// Function that replaces count(), because SQLite's own cannot count a row several times.
inline constexpr std::string_view kCountedFunction = "rows_counted";
/// Returns `sql` with the function count replaced by kCountedFunction, except in count(DISTINCT ..).
/// O(length).
std::string with_counted_rows(std::string_view sql);

/// Analyzes a compiled program; nullopt if it does more than sum up the rows of one virtual table, or
/// contains unknown steps. O(steps).
std::optional<RowSums> row_sums(std::span<const ProgramStep> program);

}  // namespace kino
