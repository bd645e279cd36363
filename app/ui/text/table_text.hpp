// Tables as text: for people, as CSV, JSON and Markdown.
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

/// A number of this unit as people read it.
std::string number_text(Unit unit, double value);

/// The cell as people read it, a text escaped as for a terminal; empty without a value.
std::string cell_text(const TableColumn& column, std::uint32_t row);

/// So many rows does a text show unless told.
inline constexpr std::uint64_t kTextRows = 50;

/// The rows asked for, in the order asked for.
Result<std::vector<std::uint32_t>> chosen_rows(const Table& table, const TableRequest& request);

/// Takes the pieces of a text, about a row each.
using TextSink = std::function<void(std::string_view)>;

/// Aligned text for people, safe to print whatever the file contains. Notes stand below. A row far down a
/// tree is told its depth instead of ever more blanks. Keeps the cells shown, the long ones cut.
void write_table_text(const Table& table, std::span<const std::uint32_t> rows, const TextSink& out);
/// Plain numbers, one line a row, as RFC 4180 asks; texts as csv_cell() writes them. Keeps one row.
void write_table_csv(const Table& table, std::span<const std::uint32_t> rows, const TextSink& out);
/// An array of objects; missing values are null. ASCII only. Keeps one row.
void write_table_json(const Table& table, std::span<const std::uint32_t> rows, const TextSink& out);
/// Text is escaped as for a terminal, and is no HTML or other markup. Keeps one row.
void write_table_markdown(const Table& table, std::span<const std::uint32_t> rows, const TextSink& out);

/// The same as one text.
std::string table_text(const Table& table, std::span<const std::uint32_t> rows);
std::string table_csv(const Table& table, std::span<const std::uint32_t> rows);
std::string table_json(const Table& table, std::span<const std::uint32_t> rows);
std::string table_markdown(const Table& table, std::span<const std::uint32_t> rows);

/// The cell of a column of texts as the window shows it: words in the language in use. UI thread only.
std::string shown_cell(const TableColumn& column, std::size_t row);

}  // namespace kino
