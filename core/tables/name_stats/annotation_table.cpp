#include "core/tables/name_stats/annotation_table.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/tables/duration_stats_columns.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {
namespace {

constexpr std::string_view kAnnotationKeys[] = {"name", "side", "category"};

/// Returns the annotations on the CPU and on GPUs, by descending time.
std::vector<NamedSlices> annotations_of(const RangeParts& parts, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  std::vector<NamedSlices> rows = named_slices(trace, parts.range(), SliceKind::annotation, stop);
  const std::vector<NamedSlices> of_gpu =
      named_slices(trace, parts.gpu_range(stop), SliceKind::gpu_annotation, stop);
  rows.insert(rows.end(), of_gpu.begin(), of_gpu.end());
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const NamedSlices& row) { return row.spread.total_ns; });
  return rows;
}

}  // namespace

Table annotation_table(const Trace& trace, const std::vector<NamedSlices>& rows) {
  Table table{.definition = msg::row_per_name_and_side};
  table.texts_of(rows, "name", msg::name, msg::name_given_by_program,
                 [&](const NamedSlices& row) { return std::string(trace.name_text(row.name)); });
  table.texts_of(rows, "side", msg::side, msg::cpu_or_gpu, [](const NamedSlices& row) {
    return row.kind == SliceKind::gpu_annotation ? "GPU" : "CPU";
  });
  table.texts_of(rows, "category", msg::category, msg::of_the_events_as_recorded,
                 [&](const NamedSlices& row) { return std::string(trace.category_text(row.category)); });
  table.columns.back().export_only = true;
  table.integers_of(rows, "count", msg::count, Unit::count, msg::number_of_events,
                    [](const NamedSlices& row) { return row.spread.count; });
  add_duration_stats_columns(table, rows, &NamedSlices::spread);
  std::erase_if(table.columns, [](const TableColumn& column) { return column.key == "share"; });
  for (const NamedSlices& row : rows) table.links.emplace_back(row.longest);
  return table;
}

constexpr TableKind<RangeParts> kAnnotationTable{
    {.name = "annotations",
     .title = msg::annotations,
     .heading = msg::cpu,
     .about = msg::about_annotations,
     .keys = kAnnotationKeys},
    [](const RangeParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      return annotation_table(parts.trace(), annotations_of(parts, stop));
    },
    [](const RangeParts& parts, const RowQuery& query, const std::stop_token& stop) {
      const Trace& trace = parts.trace();
      const bool on_gpu = trace.kind(query.example) == SliceKind::gpu_annotation;
      return named_instances(trace, on_gpu ? parts.gpu_range(stop) : parts.range(), query.example, stop);
    }};

}  // namespace kino
