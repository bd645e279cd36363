// Filters on the values of a table's columns, in the user's notation: "> 10us", "2..5", "gemm".
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/tables/table.hpp"

namespace kino {

/// Interval of values in the column's own unit (shares as 0..1). `open_*` excludes the bound.
struct ValueInterval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open_low = false;
  bool open_high = false;
  bool holds(double value) const {
    return (open_low ? value > low : value >= low) && (open_high ? value < high : value <= high);
  }
};

/// Parses "> 10us", ">= 5", "< 3 MiB", "= 4", "12", "10us..2ms" or "..5 %". Intervals with ".." include both
/// ends. "= 4" and "4" match values within 0.05 %. Units are ns, us, ms, s for times; B, KB, MB, GB, KiB,
/// MiB, GiB for bytes; K, M, G for other numbers. Shares are always in percent; the sign % is optional for
/// shares and percentages. Returns nullopt if malformed.
std::optional<ValueInterval> interval_from_text(std::string_view text, Unit unit);

/// Filter on one column, parsed once for many rows. A text matches if it contains the filter (ASCII case
/// ignored). If the filter of a text column starts with "!", it matches texts that do not contain the rest.
/// An empty filter, and a numeric filter that does not parse, match every row.
class ColumnCondition {
 public:
  /// `column` must outlive the condition.
  ColumnCondition(const TableColumn& column, std::string_view text);
  /// Whether the row matches. A row without a value does not match a numeric filter that parses.
  bool holds(std::uint32_t row) const;

 private:
  const TableColumn& column_;
  std::string wanted_;
  bool inverted_ = false;
  std::optional<ValueInterval> interval_;
};

}  // namespace kino
