// Sum, mean, minimum and maximum of selected rows of a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/tables/table.hpp"

namespace kino {

/// Aggregates over those rows of a selection that have a value.
struct ColumnTotals {
  std::size_t count = 0;
  double sum = 0;
  double least = 0;
  double greatest = 0;
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

/// Aggregates `rows` of the column. All members are 0 if no row has a value, and for columns of texts.
/// O(rows).
ColumnTotals totals_of(const TableColumn& column, std::span<const std::uint32_t> rows);

/// Whether a sum over rows is meaningful. True for integer columns of times, bytes and counts, except starts,
/// sizes, depths, extremes, percentiles and launch parameters (judged by the key). Also true for FLOPs. False
/// for all other columns, such as shares and means.
bool adds_up(const TableColumn& column);

}  // namespace kino
