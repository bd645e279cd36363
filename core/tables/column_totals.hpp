// Sum, mean, least and greatest of some rows of a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/tables/table.hpp"

namespace kino {

/// Of the rows that have a value.
struct ColumnTotals {
  std::size_t count = 0;
  double sum = 0;
  double least = 0;
  double greatest = 0;
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

/// All zero for texts. O(rows).
ColumnTotals totals_of(const TableColumn& column, std::span<const std::uint32_t> rows);

/// Whether values of several rows add up to something: times, bytes and counts of a row do, shares, means
/// and extremes do not.
bool adds_up(const TableColumn& column);

}  // namespace kino
