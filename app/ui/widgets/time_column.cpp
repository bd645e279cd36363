#include "app/ui/widgets/time_column.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "app/ui/text/table_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostRows = 10'000;

struct ColumnUnit {
  double ns = 1;
  const char* name = "";
};
constexpr std::array kColumnUnits{ColumnUnit{1, " ns"}, ColumnUnit{1e3, " µs"}, ColumnUnit{1e6, " ms"},
                                  ColumnUnit{1e9, " s"}};

/// Returns the time of a row in ns; nullopt if there is none.
std::optional<double> time_at(const TableColumn& column, std::size_t row) {
  if (const auto* integers = std::get_if<TableColumn::Integers>(&column.values)) {
    const std::int64_t ns = (*integers)[row];
    return ns == kNoInteger ? std::nullopt : std::optional(static_cast<double>(ns));
  }
  const auto* numbers = std::get_if<TableColumn::Numbers>(&column.values);
  if (numbers == nullptr || !std::isfinite((*numbers)[row])) return std::nullopt;
  return (*numbers)[row];
}

/// Returns the sizes of the times in the first rows that are not 0.
std::vector<double> sizes_of(const TableColumn& column) {
  const std::size_t rows = std::min(column.size(), kMostRows);
  std::vector<double> sizes;
  sizes.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const double size = std::abs(time_at(column, row).value_or(0));
    if (size > 0) sizes.push_back(size);
  }
  return sizes;
}

/// Whether the column has the times of A or B, or their change, in a comparison.
bool is_compared(const TableColumn& column) {
  return column.key == "a_ns" || column.key == "b_ns" || column.key == "change_ns";
}

}  // namespace

std::optional<TimeColumn> TimeColumn::of(const TableColumn& column) {
  return column.unit == Unit::ns ? of_sizes(sizes_of(column)) : std::nullopt;
}

std::optional<TimeColumn> TimeColumn::of(std::span<const std::int64_t> times_ns) {
  std::vector<double> sizes;
  sizes.reserve(std::min(times_ns.size(), kMostRows));
  for (const std::int64_t ns : times_ns.first(std::min(times_ns.size(), kMostRows))) {
    if (ns != 0 && ns != kNoInteger) sizes.push_back(std::abs(static_cast<double>(ns)));
  }
  return of_sizes(std::move(sizes));
}

std::vector<std::optional<TimeColumn>> TimeColumn::all_of(const Table& table) {
  std::vector<std::optional<TimeColumn>> formats;
  formats.reserve(table.columns.size());
  std::vector<double> compared;
  for (const TableColumn& column : table.columns) {
    formats.push_back(of(column));
    if (column.unit != Unit::ns || !is_compared(column)) continue;
    const std::vector<double> sizes = sizes_of(column);
    compared.insert(compared.end(), sizes.begin(), sizes.end());
  }
  const std::optional<TimeColumn> common = of_sizes(std::move(compared));
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (formats[i] && is_compared(table.columns[i])) formats[i] = common;
  }
  return formats;
}

std::optional<TimeColumn> TimeColumn::of_sizes(std::vector<double> sizes) {
  constexpr double kLeastMedian = 0.01;  // in the unit: two digits with three decimals
  constexpr double kMostUnits = 1e6;     // for the largest time
  if (sizes.empty()) return std::nullopt;
  const double largest = *std::ranges::max_element(sizes);
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle);
  std::size_t unit = kColumnUnits.size() - 1;
  while (unit > 0 && largest < kColumnUnits[unit].ns) --unit;
  while (unit > 0 && *middle / kColumnUnits[unit].ns < kLeastMedian &&
         largest / kColumnUnits[unit - 1].ns < kMostUnits)
    --unit;
  const double median = *middle / kColumnUnits[unit].ns;
  const int decimals = unit == 0 ? 0 : median >= 100 ? 1 : median >= 10 ? 2 : 3;
  return TimeColumn(static_cast<int>(unit), decimals);
}

std::string TimeColumn::text(std::int64_t ns) const {
  const ColumnUnit& unit = kColumnUnits.at(static_cast<std::size_t>(unit_));
  const double size = std::abs(static_cast<double>(ns)) / unit.ns;
  const double steps = std::round(size * std::pow(10, decimals_));
  if (ns != 0 && steps == 0) return text_from_duration(ns);
  const double whole = std::floor(steps / std::pow(10, decimals_));
  std::string text = (ns < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(whole));
  if (decimals_ > 0) {
    std::string fraction = formatted("%.0f", steps - whole * std::pow(10, decimals_));
    fraction.insert(0, static_cast<std::size_t>(decimals_) - fraction.size(), '0');
    text += "." + fraction;
  }
  return text + unit.name;
}

std::string time_text_in(const std::optional<TimeColumn>& format, std::int64_t ns) {
  return format ? format->text(ns) : text_from_duration(ns);
}

std::string number_text_in(const std::optional<TimeColumn>& format, const TableColumn& column, double value) {
  constexpr double kMost = 9e18;  // llround() is undefined beyond
  const bool fits = std::isfinite(value) && std::abs(value) < kMost;
  return format && fits ? format->text(std::llround(value)) : number_text(column.unit, value);
}

std::string cell_text_in(const std::optional<TimeColumn>& format, const TableColumn& column,
                         std::uint32_t row) {
  const std::optional<double> ns = format ? time_at(column, row) : std::nullopt;
  return ns ? format->text(std::llround(*ns)) : cell_text(column, row);
}

}  // namespace kino
