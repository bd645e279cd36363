#include "core/tables/name_stats/api_table.hpp"

#include <string>
#include <string_view>

#include "core/tables/spread_columns.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {

Table api_table(const Trace& trace, const std::vector<NamedSlices>& rows) {
  Table table;
  table.definition =
      "A row a call of the runtime or the driver, as the trace names it. Durations are those of the call on "
      "the CPU, clipped to the range; a call within another one counts in both.";
  table.texts_of(rows, "name", "Call", "Runtime or driver call",
                 [&](const NamedSlices& row) { return std::string(trace.name_text(row.name)); });
  table.texts_of(rows, "category", "Category", "Of the events, as recorded",
                 [&](const NamedSlices& row) { return std::string(trace.category_text(row.category)); });
  table.integers_of(rows, "count", "Count", Unit::count, "How often it was called",
                    [](const NamedSlices& row) { return row.spread.count; });
  add_spread_columns(table, rows, &NamedSlices::spread);
  for (const NamedSlices& row : rows) table.links.emplace_back(row.longest);
  if (!rows.empty())
    table.notes.emplace_back("What calls returned is not read: those that failed count as all others.");
  return table;
}

namespace {

constexpr std::string_view kApiKeys[] = {"name", "category"};

}  // namespace

constexpr TableKind<RangeParts> kApiTable{
    {.name = "api",
     .title = "API calls",
     .heading = "From CPU to GPU",
     .about = "Calls of the CUDA or HIP runtime and driver",
     .keys = kApiKeys},
    [](const RangeParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      const Trace& trace = parts.trace();
      return api_table(trace, named_slices(trace, parts.range(), SliceKind::runtime, stop));
    },
    [](const RangeParts& parts, const RowQuery& asked, const std::stop_token& stop) {
      return named_instances(parts.trace(), parts.range(), asked.example, stop);
    }};

}  // namespace kino
