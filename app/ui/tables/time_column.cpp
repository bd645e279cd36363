#include "app/ui/tables/time_column.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <variant>
#include <vector>

#include "app/ui/text/table_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

struct TimeUnit {
  double ns = 1;
  const char* name = "";
};
constexpr std::array kTimeUnits{TimeUnit{1, " ns"}, TimeUnit{1e3, " µs"}, TimeUnit{1e6, " ms"},
                                TimeUnit{1e9, " s"}};

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
  constexpr std::size_t kMostRows = 10'000;
  const std::size_t rows = std::min(column.size(), kMostRows);
  std::vector<double> sizes;
  sizes.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const double size = std::abs(time_at(column, row).value_or(0));
    if (size > 0) sizes.push_back(size);
  }
  return sizes;
}

}  // namespace

std::optional<TimeColumn> TimeColumn::of(const TableColumn& column) {
  constexpr double kLeastMedian = 0.01;  // in the unit: two digits with three decimals
  constexpr double kMostUnits = 1e6;     // for the largest time
  if (column.unit != Unit::ns) return std::nullopt;
  std::vector<double> sizes = sizes_of(column);
  if (sizes.empty()) return std::nullopt;
  const double largest = *std::ranges::max_element(sizes);
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle);
  std::size_t unit = kTimeUnits.size() - 1;
  while (unit > 0 && largest < kTimeUnits[unit].ns) --unit;
  while (unit > 0 && *middle / kTimeUnits[unit].ns < kLeastMedian &&
         largest / kTimeUnits[unit - 1].ns < kMostUnits)
    --unit;
  const double median = *middle / kTimeUnits[unit].ns;
  const int decimals = unit == 0 ? 0 : median >= 100 ? 1 : median >= 10 ? 2 : 3;
  return TimeColumn(static_cast<int>(unit), decimals);
}

std::string TimeColumn::text(std::int64_t ns) const {
  const TimeUnit& unit = kTimeUnits.at(static_cast<std::size_t>(unit_));
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

std::string cell_text_in(const std::optional<TimeColumn>& format, const TableColumn& column,
                         std::uint32_t row) {
  const std::optional<double> ns = format ? time_at(column, row) : std::nullopt;
  return ns ? format->text(std::llround(*ns)) : cell_text(column, row);
}

}  // namespace kino
