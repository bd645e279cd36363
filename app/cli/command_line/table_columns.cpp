#include "app/cli/command_line/table_columns.hpp"

#include <algorithm>

#include "app/shell/settings/kernel_categories.hpp"
#include "app/ui/text/table_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/critical/critical_tables.hpp"
#include "core/job/flight/hang_tables.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/memory/snapshot_set/snapshot_set_tables.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/build/trace_builder.hpp"

namespace kino {
namespace {

/// Returns a snapshot with one device and no recording.
Snapshot empty_snapshot() {
  Snapshot snapshot;
  snapshot.devices.emplace_back();
  return snapshot;
}

Result<Table> empty_table(const TableInfo& kind, const TableRequest& request) {
  const Snapshot snapshot = empty_snapshot();
  const auto is_of = [&](std::span<const TableInfo* const> kinds) {
    return std::ranges::find(kinds, &kind) != kinds.end();
  };
  if (&kind == &kCompareTable) return compute_comparison(snapshot, snapshot, request, {});
  if (is_of(snapshot_table_kinds())) return compute_snapshot_table(snapshot, request, {});
  if (is_of(hang_table_kinds())) return hang_table({}, request);
  if (is_of(snapshot_set_table_kinds())) return snapshot_set_table({}, request);
  if (is_of(job_table_kinds())) return job_table({JobAnalysis(), {}}, request);
  if (is_of(job_trace_table_kinds())) return job_trace_table({JobAnalysis(), {}}, request);
  const auto trace = build_trace({}, {});
  if (!trace) return trace.error();
  return compute_table(RangeAnalyses(*trace.value(), kernel_categories()), request);
}

/// Returns the tables with this name. Traces and jobs can have tables of the same name.
std::vector<const TableInfo*> kinds_named(std::string_view name) {
  std::vector<const TableInfo*> found;
  for (const auto kinds : {table_kinds(), snapshot_table_kinds(), job_table_kinds(), job_trace_table_kinds(),
                           snapshot_set_table_kinds(), hang_table_kinds()}) {
    if (const TableInfo* const kind = kind_named(kinds, name)) found.push_back(kind);
  }
  return found;
}

/// Returns the column descriptions as a table, so that they are printed like other tables.
Table as_table(const TableHelp& help) {
  Table table;
  table.name = "columns";
  const auto text = [&](const char* key, const char* title, auto&& get) {
    table.texts_of(help.columns, key, title, title, get);
  };
  text("key", "Key", &ColumnHelp::key);
  text("title", "Title", &ColumnHelp::title);
  text("unit", "Unit", [](const ColumnHelp& column) {
    if (column.unit == Unit::share) return std::string("0..1");
    if (column.unit == Unit::count || column.unit == Unit::id || column.unit == Unit::number)
      return std::string("number");
    return column.unit == Unit::text ? std::string("text") : std::string(text_of(column.unit));
  });
  text("group", "Only with", [](const ColumnHelp& column) {
    const std::string group = column.group.empty() ? std::string() : "--group " + column.group;
    return column.of_job ? group + (group.empty() ? "a job" : " of a job") : group;
  });
  text("definition", "Meaning", &ColumnHelp::definition);
  return table;
}

}  // namespace

Result<TableHelp> table_help(std::string_view name) {
  TableHelp help;
  const std::vector<const TableInfo*> kinds = kinds_named(name);
  if (kinds.empty()) return request_error({msg::there_is_no_table, escaped(name)});
  for (const TableInfo* const kind : kinds) {
    std::vector<std::string_view> groups(kind->groups.begin(), kind->groups.end());
    if (groups.empty()) groups.emplace_back();
    const bool of_job = kind != kinds.front();
    for (const std::string_view group : groups) {
      TableRequest request;
      request.name = name;
      request.group = group;
      const Result<Table> table = empty_table(*kind, request);
      if (!table.ok()) return table.error();
      const bool first = group == groups.front();
      const std::string definition = table.value().definition.str();
      if (first && help.definition.find(definition) == std::string::npos)
        help.definition += (of_job ? "\n\nFor a job: " : "") + definition;
      for (const TableColumn& column : table.value().columns) {
        const auto known = std::ranges::find(help.columns, column.key, &ColumnHelp::key);
        if (known != help.columns.end()) continue;
        help.columns.push_back({column.key, column.title.str(), column.unit, column.definition.str(),
                                first ? std::string() : std::string(group), of_job});
      }
    }
  }
  return help;
}

Result<std::string> table_columns_text(std::string_view name, TableFormat format) {
  const Result<TableHelp> help = table_help(name);
  if (!help.ok()) return help.error();
  const Table table = as_table(help.value());
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < table.row_count(); ++row) rows.push_back(row);
  switch (format) {
    case TableFormat::csv:
      return table_csv(table, rows);
    case TableFormat::json:
      return table_json(table, rows);
    case TableFormat::markdown:
      return table_markdown(table, rows);
    case TableFormat::text:
    case TableFormat::folded:
      break;
  }
  return help.value().definition + "\n\n" + table_text(table, rows);
}

}  // namespace kino
