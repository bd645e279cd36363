#include "core/tables/name_stats/report_rows.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"

namespace kino {

double ReportRow::median() const {
  const std::size_t half = values.size() / 2;
  if (values.empty()) return 0;
  if (values.size() % 2 == 1) return static_cast<double>(values[half]);
  return static_cast<double>(saturating_add(values[half - 1], values[half])) / 2;
}

double ReportRow::deviation() const {
  if (values.size() < 2) return 0;
  const auto count = static_cast<long double>(values.size());
  long double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<long double>(value);
  const long double mean = sum / count;
  long double squares = 0;
  for (const std::int64_t value : values) {
    const long double distance = static_cast<long double>(value) - mean;
    squares += distance * distance;
  }
  return static_cast<double>(std::sqrt(squares / (count - 1)));
}

ReportRow& ReportRows::add(std::string_view name, std::string_view style, std::int64_t value, SliceId slice) {
  const auto [found, added] = rows_.try_emplace({std::string(name), std::string(style)});
  ReportRow& row = found->second;
  if (added) {
    row.name = name;
    row.style = style;
  }
  row.values.push_back(value);
  add_saturating(row.total, value);
  if (value > row.most) {
    row.most = value;
    row.example = slice;
  }
  return row;
}

std::vector<ReportRow> ReportRows::finish() {
  std::vector<ReportRow> rows;
  rows.reserve(rows_.size());
  for (auto& [key, row] : rows_) {
    std::ranges::sort(row.values);
    rows.push_back(std::move(row));
  }
  rows_.clear();
  std::ranges::stable_sort(rows, [](const ReportRow& a, const ReportRow& b) {
    return std::tie(b.total, a.name) < std::tie(a.total, b.name);
  });
  return rows;
}

void add_report_columns(Table& table, const std::vector<ReportRow>& rows, Unit unit) {
  const bool bytes = unit == Unit::bytes;
  const auto key = [&](const char* of_time, const char* of_bytes) { return bytes ? of_bytes : of_time; };
  std::int64_t all = 0;
  for (const ReportRow& row : rows) add_saturating(all, row.total);
  if (!bytes) {
    table.number_column(rows, "share", msg::share, Unit::share, msg::of_the_summed_durations_of_all_rows,
                        [&](const ReportRow& row) {
                          return all == 0 ? kNoNumber
                                          : static_cast<double>(row.total) / static_cast<double>(all);
                        });
  }
  table.integers_of(rows, key("total_ns", "total_bytes"), msg::total, unit, msg::summed, &ReportRow::total);
  table.integers_of(rows, "count", msg::count, Unit::count, msg::number_of_events,
                    [](const ReportRow& row) { return row.values.size(); });
  table.number_column(rows, key("mean_ns", "mean_bytes"), msg::mean, unit, msg::total_divided_by_count,
                      [](const ReportRow& row) {
                        return static_cast<double>(row.total) / static_cast<double>(row.values.size());
                      });
  table.number_column(rows, key("median_ns", "median_bytes"), msg::median, unit,
                      msg::the_middle_one_or_the_mean, &ReportRow::median);
  table.integers_of(rows, key("min_ns", "min_bytes"), msg::min, unit, msg::the_least,
                    [](const ReportRow& row) { return row.values.front(); });
  table.integers_of(rows, key("max_ns", "max_bytes"), msg::max, unit, msg::the_most,
                    [](const ReportRow& row) { return row.values.back(); });
  table.number_column(rows, key("deviation_ns", "deviation_bytes"), msg::deviation, unit,
                      msg::standard_deviation_of_a_sample_n, &ReportRow::deviation);
  for (const ReportRow& row : rows) table.links.emplace_back(row.example);
}

}  // namespace kino
