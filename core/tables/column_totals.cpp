#include "core/tables/column_totals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace kino {

ColumnTotals totals_of(const TableColumn& column, std::span<const std::uint32_t> rows) {
  const auto value_at = [&](std::uint32_t row) -> std::optional<double> {
    if (const auto* numbers = std::get_if<TableColumn::Numbers>(&column.values))
      return std::isfinite((*numbers)[row]) ? std::optional((*numbers)[row]) : std::nullopt;
    const auto* integers = std::get_if<TableColumn::Integers>(&column.values);
    if (integers == nullptr || (*integers)[row] == kNoInteger) return std::nullopt;
    return static_cast<double>((*integers)[row]);
  };
  ColumnTotals totals;
  for (const std::uint32_t row : rows) {
    const std::optional<double> value = value_at(row);
    if (!value) continue;
    totals.least = totals.count == 0 ? *value : std::min(totals.least, *value);
    totals.greatest = totals.count == 0 ? *value : std::max(totals.greatest, *value);
    totals.sum += *value;
    ++totals.count;
  }
  return totals;
}

bool adds_up(const TableColumn& column) {
  const bool unit = column.unit == Unit::ns || column.unit == Unit::bytes || column.unit == Unit::count ||
                    column.unit == Unit::flop;
  if (!unit || !std::holds_alternative<TableColumn::Integers>(column.values))
    return column.unit == Unit::flop;
  constexpr std::array<std::string_view, 13> kNot{"start", "min",       "max",   "median",  "p90",
                                                  "p99",   "longest",   "peak",  "deepest", "depth",
                                                  "size",  "registers", "shared"};
  return std::none_of(kNot.begin(), kNot.end(),
                      [&](std::string_view part) { return column.key.find(part) != std::string::npos; });
}

}  // namespace kino
