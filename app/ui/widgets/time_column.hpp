// One unit and number of decimals for all times of a table's column, so that they can be compared at a glance.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/tables/table.hpp"

namespace kino {

class TimeColumn {
 public:
  /// Returns the format of a column of times; nullopt for other columns, and if all times are 0. The unit is
  /// that of the largest time, or a smaller one if the median would have fewer than two digits. The median
  /// has about four digits. Uses the first 10,000 rows.
  static std::optional<TimeColumn> of(const TableColumn& column);
  /// Returns the format of times in ns that are not the column of a table. Uses the first 10,000.
  static std::optional<TimeColumn> of(std::span<const std::int64_t> times_ns);
  /// Returns the formats of all columns of a table, in their order. The times of A and B and their change have
  /// one format.
  static std::vector<std::optional<TimeColumn>> all_of(const Table& table);

  /// Returns the time with its unit: "0.350 ms". A time that would be rounded to 0 has its own unit.
  std::string text(std::int64_t ns) const;

 private:
  TimeColumn(int unit, int decimals) : unit_(unit), decimals_(decimals) {}
  /// Returns the format of times with these sizes; nullopt if there are none.
  static std::optional<TimeColumn> of_sizes(std::vector<double> sizes);

  int unit_;  // index of the unit
  int decimals_;
};

/// Returns a time in the format of its column, or text_from_duration() if there is none.
std::string time_text_in(const std::optional<TimeColumn>& format, std::int64_t ns);
/// Returns a value of a column, such as a sum, in the format of the column, or number_text() if there is none.
std::string number_text_in(const std::optional<TimeColumn>& format, const TableColumn& column, double value);

/// Returns a cell in the format of its column, or cell_text() if there is none.
std::string cell_text_in(const std::optional<TimeColumn>& format, const TableColumn& column,
                         std::uint32_t row);

}  // namespace kino
