#include "app/table_columns.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "app/info_lines.hpp"
#include "app/snapshot_table_command.hpp"
#include "app/table_command.hpp"
#include "core/range_analysis.hpp"
#include "core/trace_builder.hpp"

namespace kino {
namespace {

/// One device that has recorded nothing.
Snapshot empty_snapshot() {
  Snapshot snapshot;
  snapshot.devices.emplace_back();
  return snapshot;
}

Result<Table> empty_table(const TableRequest& request) {
  const auto named = [&](const TableKind& kind) { return kind.name == request.name; };
  if (request.name == kCompareKind.name) {
    const Snapshot snapshot = empty_snapshot();
    return compute_comparison(snapshot, snapshot, request, {});
  }
  if (std::ranges::any_of(snapshot_table_kinds(), named))
    return compute_snapshot_table(empty_snapshot(), request, {});
  const auto trace = build_trace({}, {});
  if (!trace) return trace.error();
  return compute_table(RangeAnalyses(*trace.value()), request);
}

std::vector<std::string_view> groups_of(std::string_view name) {
  for (const std::span<const TableKind> kinds : {table_kinds(), snapshot_table_kinds()}) {
    const auto found = std::ranges::find(kinds, name, &TableKind::name);
    if (found != kinds.end()) return {found->groups.begin(), found->groups.end()};
  }
  return {};
}

/// A table about tables, so that it is printed as every other one.
Table as_table(const TableHelp& help) {
  Table table;
  table.name = "columns";
  const auto text = [&](const char* key, const char* title, auto&& get) {
    table.texts_of(help.columns, key, title, title, get);
  };
  text("key", "Key", [](const ColumnHelp& it) { return it.key; });
  text("title", "Title", [](const ColumnHelp& it) { return it.title; });
  text("unit", "Unit", [](const ColumnHelp& it) {
    if (it.unit == Unit::share) return std::string("0..1");
    if (it.unit == Unit::count || it.unit == Unit::number) return std::string("number");
    return it.unit == Unit::text ? std::string("text") : std::string(text_of(it.unit));
  });
  text("group", "Only with",
       [](const ColumnHelp& it) { return it.group.empty() ? std::string() : "--group " + it.group; });
  text("definition", "Meaning", [](const ColumnHelp& it) { return it.definition; });
  return table;
}

}  // namespace

Result<TableHelp> table_help(std::string_view name) {
  TableHelp help;
  std::vector<std::string_view> groups = groups_of(name);
  if (groups.empty()) groups.emplace_back();
  for (const std::string_view group : groups) {
    TableRequest request;
    request.name = name;
    request.group = group;
    const Result<Table> table = empty_table(request);
    if (!table.ok()) return table.error();
    const bool first = group == groups.front();
    if (first) help.definition = table.value().definition;
    for (const TableColumn& column : table.value().columns) {
      const auto known = std::ranges::find(help.columns, column.key, &ColumnHelp::key);
      if (known != help.columns.end()) continue;
      help.columns.push_back({column.key, column.title, column.unit, column.definition,
                              first ? std::string() : std::string(group)});
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
