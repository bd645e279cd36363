// Descriptions of a table's columns, which are available without opening a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// A column of a table, for `table NAME --columns`.
struct ColumnHelp {
  std::string key;
  std::string title;
  Unit unit = Unit::text;
  std::string definition;
  std::string group;    ///< first grouping that has the column; empty: the table's first grouping
  bool of_job = false;  ///< only the job's table of this name has the column, not the trace's
};
struct TableHelp {
  std::string definition;
  std::vector<ColumnHelp> columns;
};
/// Returns the columns of the table with this name on the command line, as for an empty file. Columns that
/// depend on the content are missing. Columns of the first grouping precede those of other groupings; columns
/// of a trace's table precede those of a job's table with that name. Fails if the name is unknown.
Result<TableHelp> table_help(std::string_view name);

/// Formats the columns as text, JSON, CSV or Markdown. Fails like table_help().
Result<std::string> table_columns_text(std::string_view name, TableFormat format);

}  // namespace kino
