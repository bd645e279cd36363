// Meanings of a table's columns, which need no file.
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
  std::string group;    ///< the first grouping with the column; empty: the first grouping of the table
  bool of_job = false;  ///< for a table of a trace: only a job has it
};
struct TableHelp {
  std::string definition;
  std::vector<ColumnHelp> columns;
};
/// Returns the columns of the table with this name on the command line, as they are for empty files: columns
/// that depend on the content are missing. Columns of the first grouping precede those of others, and columns
/// of a trace's table precede those of a job's table of the same name. Fails if the name is unknown.
Result<TableHelp> table_help(std::string_view name);

/// Returns the columns as text, JSON, CSV or Markdown. Fails like table_help().
Result<std::string> table_columns_text(std::string_view name, TableFormat format);

}  // namespace kino
