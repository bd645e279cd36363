// The columns of a table whose rows sum up durations: total, mean, least, percentiles, most, share.
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/duration_list.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/table.hpp"

namespace kino {

/// `get` returns the DurationSpread of a row. `share` is of the summed durations of all rows.
template <class Rows, class Get>
void add_spread_columns(Table& table, const Rows& rows, Get&& get) {
  std::int64_t all_ns = 0;
  for (const auto& row : rows) add_saturating(all_ns, std::invoke(get, row).total_ns);
  const auto time = [&](const char* key, const char* title, const char* about, auto&& value) {
    table.integers_of(rows, key, title, Unit::ns, about,
                      [&](const auto& row) { return std::invoke(value, std::invoke(get, row)); });
  };
  time("total_ns", "Total", "Summed durations", &DurationSpread::total_ns);
  table.numbers_of(rows, "mean_ns", "Mean", Unit::ns, "Total divided by count",
                   [&](const auto& row) { return std::invoke(get, row).mean_ns(); });
  time("min_ns", "Min", "The shortest", &DurationSpread::min_ns);
  time("median_ns", "Median", "Half of them take no longer", &DurationSpread::median_ns);
  time("p90_ns", "90 %", "Nine of ten take no longer", &DurationSpread::p90_ns);
  time("p99_ns", "99 %", "99 of 100 take no longer", &DurationSpread::p99_ns);
  time("max_ns", "Max", "The longest", &DurationSpread::max_ns);
  table.numbers_of(
      rows, "share", "Share", Unit::share, "Of the summed durations of all rows", [&](const auto& row) {
        return all_ns == 0
                   ? kNoNumber
                   : static_cast<double>(std::invoke(get, row).total_ns) / static_cast<double>(all_ns);
      });
}

}  // namespace kino
