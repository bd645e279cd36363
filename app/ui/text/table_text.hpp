// Tables as aligned text, CSV, JSON and Markdown.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// Returns a number with its unit, rounded for reading.
std::string number_text(Unit unit, double value);

/// Returns a cell rounded for reading, with text escaped for a terminal; empty if there is no value.
std::string cell_text(const TableColumn& column, std::uint32_t row);

/// Default limit of rows in aligned text. The table `summary` has no default limit.
inline constexpr std::uint64_t kTextRows = 50;

/// Returns the requested rows in the requested order. Fails if a sort key or direction is unknown.
Result<std::vector<std::uint32_t>> chosen_rows(const Table& table, const TableRequest& request);

/// Receives the pieces of a text, about one row each.
using TextSink = std::function<void(std::string_view)>;

/// Writes aligned text, followed by the notes; control characters from the file are escaped. Rows deep in a
/// tree show their depth instead of further indentation. Holds shortened cells in memory.
void write_table_text(const Table& table, std::span<const std::uint32_t> rows, const TextSink& out);
/// Writes CSV (RFC 4180) with unrounded numbers, and texts as in csv_cell(). Holds one row in memory.
void write_table_csv(const Table& table, std::span<const std::uint32_t> rows, const TextSink& out);
/// Writes an array of objects in ASCII; missing values are null. Holds one row in memory.
void write_table_json(const Table& table, std::span<const std::uint32_t> rows, const TextSink& out);
/// Writes a Markdown table. Text is escaped as for a terminal; HTML and the special characters of
/// Markdown are escaped as well. Holds one row in memory.
void write_table_markdown(const Table& table, std::span<const std::uint32_t> rows, const TextSink& out);

/// Return the output of write_table_*() as one string.
std::string table_text(const Table& table, std::span<const std::uint32_t> rows);
std::string table_csv(const Table& table, std::span<const std::uint32_t> rows);
std::string table_json(const Table& table, std::span<const std::uint32_t> rows);
std::string table_markdown(const Table& table, std::span<const std::uint32_t> rows);

/// Return the title and the definition of a column as shown in the window, with the word for the devices of the
/// table.
std::string shown_title(const Table& table, const TableColumn& column);
std::string shown_definition(const Table& table, const TableColumn& column);

/// Returns a cell of a text column as shown in the window: texts of the program are in the language in use.
/// UI thread only.
std::string shown_cell(const TableColumn& column, std::size_t row);

}  // namespace kino
