// What the columns of a table mean, without a file to compute it of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// The columns of a table of a trace, a snapshot or a job, by its name on the command line: what a row is,
/// and the columns of its first grouping, then those that only other groupings have; where a trace and a job
/// have a table of this name, those of the trace first. They are those of an empty file: the columns that
/// depend on what a file holds are missing. Fails for an unknown name.
struct ColumnHelp {
  std::string key;
  std::string title;
  Unit unit = Unit::text;
  std::string definition;
  std::string group;    ///< the grouping that has it; empty: the first one
  bool of_job = false;  ///< of a table of a trace: only a job has it
};
struct TableHelp {
  std::string definition;
  std::vector<ColumnHelp> columns;
};
Result<TableHelp> table_help(std::string_view name);

/// As the command line prints it; only text, JSON, CSV and Markdown. Fails as table_help() does.
Result<std::string> table_columns_text(std::string_view name, TableFormat format);

}  // namespace kino
