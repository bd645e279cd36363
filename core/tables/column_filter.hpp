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

/// Parses "> 10us", ">= 5", "< 3 MiB", "= 4", "12", "10us..2ms" or "..5 %" (both ends included). Units: ns,
/// us, ms, s for times; B, KB, MB, GB, KiB, MiB, GiB for bytes; % for shares (also the default); K, M, G for
/// other units. nullopt if malformed.
std::optional<ValueInterval> interval_from_text(std::string_view text, Unit unit);

/// Filter on one column, parsed once for many rows. A text matches if it contains the filter (ASCII case
/// ignored). A filter that starts with "!" is inverted: it matches texts that do not contain the rest. A
/// numeric filter that does not parse matches every row.
class ColumnCondition {
 public:
  /// `column` must outlive the condition.
  ColumnCondition(const TableColumn& column, std::string_view text);
  /// A numeric filter excludes rows without a value.
  bool holds(std::uint32_t row) const;

 private:
  const TableColumn& column_;
  std::string wanted_;
  bool inverted_ = false;
  std::optional<ValueInterval> interval_;
};

}  // namespace kino
