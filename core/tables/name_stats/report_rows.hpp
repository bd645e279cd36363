// Rows of the summary reports: values by name, with the spread that `nsys stats` prints of them.
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
  std::string style;                 ///< of NVTX ranges: "PushPop", "StartEnd"
  std::vector<std::int64_t> values;  ///< in ascending order once the list is finished
  std::int64_t total = 0;
  std::int64_t range_total_ns = 0;  ///< of projected ranges: on the CPU
  std::int64_t operations = 0;      ///< of projected ranges: pieces of GPU work
  std::int64_t most = -1;
  SliceId example = kNoSlice;  ///< with the largest value

  double median() const;
  /// Of a sample; 0 for one.
  double deviation() const;
};

class ReportRows {
 public:
  /// The row gets the value. O(log rows + length).
  ReportRow& add(std::string_view name, std::string_view style, std::int64_t value, SliceId slice);
  /// The largest total first, then by name.
  std::vector<ReportRow> finish();

 private:
  std::map<std::pair<std::string, std::string>, ReportRow, std::less<>> rows_;
};

/// Share, total, count, mean, median, min, max and deviation of rows in this unit.
void add_report_columns(Table& table, const std::vector<ReportRow>& rows, Unit unit);

}  // namespace kino
