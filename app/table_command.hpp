// `kinetoscope table`: any table of a trace as text, CSV, JSON or Markdown, without a display.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line.hpp"
#include "core/range_analysis.hpp"
#include "core/result.hpp"
#include "core/table.hpp"
#include "core/trace.hpp"

namespace kino {

/// A table that the command knows.
struct TableKind {
  std::string_view name;
  std::string_view about;
  std::span<const std::string_view> groups;  ///< for --group; the first one unless told; may be empty
};
std::span<const TableKind> table_kinds();

/// Computes a table of the whole trace, a range or a step. Fails with one sentence for a step that is not
/// there, a name or group it does not know, or a column to sort by that the table has not.
/// A table of what was there when stopped.
Result<Table> compute_table(const RangeAnalyses& analyses, const TableRequest& request,
                            const std::stop_token& stop = {});

/// Of what is asked for: the request's range, its step, or everything. Fails for an unknown step,
/// and for a range that shares no moment with the trace.
Result<std::shared_ptr<const RangeAnalysis>> requested_analysis(const RangeAnalyses& analyses,
                                                                const TableRequest& request,
                                                                const std::stop_token& stop);

/// A number of this unit as people read it.
std::string number_text(Unit unit, double value);

/// The cell as people read it, a text escaped as for a terminal; empty without a value.
std::string cell_text(const TableColumn& column, std::uint32_t row);

/// The rows asked for, in the order asked for.
Result<std::vector<std::uint32_t>> chosen_rows(const Table& table, const TableRequest& request);

/// Aligned text for people, safe to print whatever the file contains. Notes stand below.
std::string table_text(const Table& table, std::span<const std::uint32_t> rows);
/// Plain numbers, one line a row, as RFC 4180 asks; texts as csv_cell() writes them.
std::string table_csv(const Table& table, std::span<const std::uint32_t> rows);
/// An array of objects; missing values are null. ASCII only.
std::string table_json(const Table& table, std::span<const std::uint32_t> rows);
/// Text is escaped as for a terminal, and is no HTML or other markup.
std::string table_markdown(const Table& table, std::span<const std::uint32_t> rows);

/// Loads, computes and prints; the exit code. An error is printed on stderr as one sentence.
int run_table_command(const CommandLine& command);

}  // namespace kino
