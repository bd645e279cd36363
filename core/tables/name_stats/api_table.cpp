#include "core/tables/name_stats/api_table.hpp"

#include <string>
#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/tables/duration_stats_columns.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {
namespace {

constexpr std::string_view kApiKeys[] = {"name", "category"};

}  // namespace

Table api_table(const Trace& trace, const std::vector<NamedSlices>& rows) {
  Table table{.definition = msg::row_per_runtime_or_driver_call};
  table.texts_of(rows, "name", msg::call, msg::runtime_or_driver_call,
                 [&](const NamedSlices& row) { return std::string(trace.name_text(row.name)); });
  table.texts_of(rows, "category", msg::category, msg::of_the_events_as_recorded,
                 [&](const NamedSlices& row) { return std::string(trace.category_text(row.category)); });
  table.integers_of(rows, "count", msg::count, Unit::count, msg::number_of_calls,
                    [](const NamedSlices& row) { return row.spread.count; });
  add_duration_stats_columns(table, rows, &NamedSlices::spread);
  for (const NamedSlices& row : rows) table.links.emplace_back(row.longest);
  if (!rows.empty()) table.notes.emplace_back(msg::return_values_not_evaluated);
  return table;
}

constexpr TableKind<RangeParts> kApiTable{
    {.name = "api",
     .title = msg::api_calls,
     .heading = msg::from_cpu_to_gpu,
     .about = msg::about_api,
     .keys = kApiKeys},
    [](const RangeParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      const Trace& trace = parts.trace();
      return api_table(trace, named_slices(trace, parts.range(), SliceKind::runtime, stop));
    },
    [](const RangeParts& parts, const RowQuery& query, const std::stop_token& stop) {
      return named_instances(parts.trace(), parts.range(), query.example, stop);
    }};

}  // namespace kino
