// Rows of summary reports: values grouped by name, with the statistics of `nsys stats`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/tables/table.hpp"

namespace kino {

struct ReportRow {
  std::string name;
  std::string style;                 ///< style of NVTX ranges: "PushPop" or "StartEnd"; empty for others
  std::vector<std::int64_t> values;  ///< ascending after finish()
  std::int64_t total = 0;
  std::int64_t range_total_ns = 0;  ///< time on the CPU, for projected ranges
  std::int64_t operations = 0;      ///< number of pieces of GPU work, for projected ranges
  std::int64_t most = -1;
  SliceId example = kNoSlice;  ///< slice with the largest value

  double median() const;
  /// Returns the standard deviation of a sample; 0 for one value.
  double deviation() const;
};

class ReportRows {
 public:
  /// Adds a value to the row of this name and style. O(log rows + length).
  ReportRow& add(std::string_view name, std::string_view style, std::int64_t value, SliceId slice);
  /// Returns the rows, sorted by total, largest first, then by name.
  std::vector<ReportRow> finish();

 private:
  std::map<std::pair<std::string, std::string>, ReportRow, std::less<>> rows_;
};

/// Adds the columns share (not for bytes), total, count, mean, median, min, max and deviation, with values in
/// `unit`. Also adds a link to the example of each row.
void add_report_columns(Table& table, const std::vector<ReportRow>& rows, Unit unit);

}  // namespace kino
