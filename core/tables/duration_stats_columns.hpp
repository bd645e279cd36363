// Columns of a table with summed durations: total, mean, minimum, percentiles, maximum, share.
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/duration_list.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/table.hpp"

namespace kino {

/// Adds columns for the durations of `rows` to `table`. `get` returns the DurationStats of a row.
template <class Rows, class Get>
struct SpreadColumns {
  Table& table;
  const Rows& rows;
  Get get;

  void time(const char* key, msg::Id title, msg::Id about, std::int64_t DurationStats::*value) const {
    table.integers_of(rows, key, title, Unit::ns, about,
                      [&](const auto& row) { return std::invoke(get, row).*value; });
  }
  void mean(msg::Id about) const {
    table.number_column(rows, "mean_ns", msg::mean, Unit::ns, about,
                        [&](const auto& row) { return std::invoke(get, row).mean_ns(); });
  }
  /// Adds the share of the summed durations of all rows.
  void share(msg::Id about) const {
    std::int64_t all_ns = 0;
    for (const auto& row : rows) add_saturating(all_ns, std::invoke(get, row).total_ns);
    table.number_column(rows, "share", msg::share, Unit::share, about, [&](const auto& row) {
      return all_ns == 0 ? kNoNumber
                         : static_cast<double>(std::invoke(get, row).total_ns) / static_cast<double>(all_ns);
    });
  }
};
template <class Rows, class Get>
SpreadColumns(Table&, const Rows&, Get) -> SpreadColumns<Rows, Get>;

/// Adds all columns: total, mean, minimum, median, 90th and 99th percentile, maximum and share.
template <class Rows, class Get>
void add_duration_stats_columns(Table& table, const Rows& rows, Get get) {
  const SpreadColumns columns{table, rows, get};
  columns.time("total_ns", msg::total, msg::summed_durations, &DurationStats::total_ns);
  columns.mean(msg::total_divided_by_count);
  columns.time("min_ns", msg::min, msg::the_shortest, &DurationStats::min_ns);
  columns.time("median_ns", msg::median, msg::half_of_them_take_no_longer, &DurationStats::median_ns);
  columns.time("p90_ns", msg::p90, msg::ninety_percent_take_at_most_this, &DurationStats::p90_ns);
  columns.time("p99_ns", msg::p99, msg::ninety_nine_percent_take_at_most_this, &DurationStats::p99_ns);
  columns.time("max_ns", msg::max, msg::the_longest, &DurationStats::max_ns);
  columns.share(msg::of_the_summed_durations_of_all_rows);
}

}  // namespace kino
