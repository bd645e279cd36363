#include "core/tables/analysis/range_table.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/slice_kind.hpp"

namespace kino {

constexpr TableInfo kRangeTable{.name = "range", .title = msg::marked_range, .about = msg::about_range};

Table range_table(const Trace& trace, const RangeSummary& summary) {
  std::vector<NameStats> rows = summary.names;
  std::ranges::sort(rows, {}, [&](const NameStats& row) {
    return std::tuple(-row.stats.total_ns, trace.name_text(row.name), row.kind);
  });
  Table table{.name = std::string(kRangeTable.name),
              .title = kRangeTable.title,
              .definition = msg::one_row_per_name_and_kind};
  const auto time = [&](const char* key, msg::Id title, msg::Id about, std::int64_t DurationTotals::*value) {
    table.integers_of(rows, key, title, Unit::ns, about,
                      [&](const NameStats& row) { return row.stats.*value; });
  };
  table.texts_of(rows, "name", msg::name, msg::slices_of_one_name_and_kind,
                 [&](const NameStats& row) { return std::string(trace.name_text(row.name)); });
  table.text_column(rows, "kind", msg::kind, msg::kind_of_the_slices,
                    [](const NameStats& row) { return shown_name(row.kind); });
  table.columns.back().export_only = true;
  table.integers_of(rows, "count", msg::count, Unit::count, msg::slices_partly_in_range,
                    [](const NameStats& row) { return row.stats.count; });
  table.integers_of(rows, "calls", msg::calls, Unit::count, msg::calls_as_in_operators_table,
                    [](const NameStats& row) { return row.stats.calls(); });
  time("total_ns", msg::total, msg::time_inside_the_range_summed_over, &DurationTotals::total_ns);
  time("self_ns", msg::self, msg::total_minus_direct_children, &DurationTotals::self_ns);
  table.number_column(rows, "mean_ns", msg::mean, Unit::ns, msg::total_divided_by_count,
                      [](const NameStats& row) { return row.stats.mean_ns(); });
  time("min_ns", msg::min, msg::the_shortest_part_inside_the_range, &DurationTotals::min_ns);
  time("max_ns", msg::max, msg::the_longest_part_inside_the_range, &DurationTotals::max_ns);
  table.number_column(rows, "share_of_range", msg::percent_range, Unit::share,
                      msg::total_divided_by_the_length_of,
                      [&](const NameStats& row) { return summary.share_of_range(row.stats.total_ns); });
  table.number_column(rows, "share_of_gpu_time", msg::percent_gpu, Unit::share,
                      msg::total_divided_by_the_time_of, [&](const NameStats& row) {
                        return is_gpu_work(row.kind) ? summary.share_of_gpu(row.stats.total_ns) : kNoNumber;
                      });
  for (const NameStats& row : rows) table.links.emplace_back(row.stats.longest);
  return table;
}

}  // namespace kino
