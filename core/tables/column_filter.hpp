// Conditions on the values of a table's columns, as a person types them: "> 10us", "2..5", "gemm".
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/tables/table.hpp"

namespace kino {

/// Values from `low` to `high`, in the column's own unit (shares as 0..1); with `open_*` without the end.
struct ValueInterval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open_low = false;
  bool open_high = false;
  bool holds(double value) const {
    return (open_low ? value > low : value >= low) && (open_high ? value < high : value <= high);
  }
};

/// "> 10us", ">= 5", "< 3 MiB", "= 4", "12", "10us..2ms", "..5 %". Units: ns, us, ms, s for times; B, KB, MB,
/// GB, KiB, MiB, GiB for bytes; % for shares, which are percent without one as well; K, M, G for others.
/// nullopt for anything else.
std::optional<ValueInterval> interval_from_text(std::string_view text, Unit unit);

/// The condition, made ready for many rows. A text holds when it contains what was typed, in any case of
/// ASCII letters, after "!" when it does not; a number that cannot be understood holds for every row.
class ColumnCondition {
 public:
  /// `column` must outlive it.
  ColumnCondition(const TableColumn& column, std::string_view text);
  /// Rows without a value do not meet a condition on it.
  bool holds(std::uint32_t row) const;

 private:
  const TableColumn& column_;
  std::string wanted_;
  bool inverted_ = false;
  std::optional<ValueInterval> interval_;
};

}  // namespace kino
