// Columns of a table with summed durations: total, mean, minimum, percentiles, maximum, share.
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/duration_list.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/table.hpp"

namespace kino {

/// `get` returns the DurationSpread of a row. The share is of the summed durations of all rows.
template <class Rows, class Get>
void add_spread_columns(Table& table, const Rows& rows, Get&& get) {
  std::int64_t all_ns = 0;
  for (const auto& row : rows) add_saturating(all_ns, std::invoke(get, row).total_ns);
  const auto time = [&](const char* key, msg::Id title, msg::Id about, auto&& value) {
    table.integers_of(rows, key, title, Unit::ns, about,
                      [&](const auto& row) { return std::invoke(value, std::invoke(get, row)); });
  };
  time("total_ns", msg::total, msg::summed_durations, &DurationSpread::total_ns);
  table.numbers_of(rows, "mean_ns", msg::mean, Unit::ns, msg::total_divided_by_count,
                   [&](const auto& row) { return std::invoke(get, row).mean_ns(); });
  time("min_ns", msg::min, msg::the_shortest, &DurationSpread::min_ns);
  time("median_ns", msg::median, msg::half_of_them_take_no_longer, &DurationSpread::median_ns);
  time("p90_ns", msg::top_90_percent, msg::nine_of_ten_take_no_longer, &DurationSpread::p90_ns);
  time("p99_ns", msg::top_99_percent, msg::n_99_of_100_take_no, &DurationSpread::p99_ns);
  time("max_ns", msg::max, msg::the_longest, &DurationSpread::max_ns);
  table.numbers_of(
      rows, "share", msg::share, Unit::share, msg::of_the_summed_durations_of_all_rows, [&](const auto& row) {
        return all_ns == 0
                   ? kNoNumber
                   : static_cast<double>(std::invoke(get, row).total_ns) / static_cast<double>(all_ns);
      });
}

}  // namespace kino
