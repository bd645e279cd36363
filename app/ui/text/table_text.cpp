#include "app/ui/text/table_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/csv_text.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kTextColumns = 56;     // of one cell
constexpr std::uint32_t kMostIndented = 16;  // indented levels; deeper rows show their depth as a number

/// Returns a cell with all digits and without a unit; empty if there is no value.
std::string exact_cell(const TableColumn& column, std::uint32_t row) {
  if (const auto* texts = std::get_if<TableColumn::Texts>(&column.values)) return csv_cell((*texts)[row]);
  if (const auto* numbers = std::get_if<TableColumn::Numbers>(&column.values))
    return exact_digits((*numbers)[row]);
  const std::int64_t value = std::get<TableColumn::Integers>(column.values)[row];
  return value == kNoInteger ? std::string() : std::to_string(value);
}

/// Texts in one string, which takes a fifth of the memory of separate strings.
class PackedTexts {
 public:
  PackedTexts() = default;
  explicit PackedTexts(const std::vector<std::string>& texts) {
    ends_.reserve(texts.size());
    for (const std::string& text : texts) {
      all_ += text;
      ends_.push_back(all_.size());
    }
  }
  bool empty() const { return ends_.empty(); }
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(all_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string all_;
  std::vector<std::size_t> ends_;
};

bool too_long(const std::vector<std::string>& texts) {
  return std::ranges::any_of(texts, [](const std::string& text) {
    return text.size() > kTextColumns && columns_of(text) > kTextColumns;
  });
}

/// Whether a cell is a sentence. Sentences may contain figures anywhere, so they must not be shortened.
bool is_sentence(std::string_view text) {
  return text.ends_with('.') && text.find(' ') != std::string_view::npos;
}

/// Whether a cell is prose rather than a name of code. Prose is wrapped, since omitting its middle would lose
/// the meaning.
bool is_prose(std::string_view text) {
  constexpr std::ptrdiff_t kFewestBlanks = 4;
  constexpr std::size_t kLongestWord = 20;
  if (is_sentence(text)) return true;
  if (std::ranges::count(text, ' ') < kFewestBlanks) return false;
  if (text.find_first_of("<{[") != std::string_view::npos || text.find("::") != std::string_view::npos)
    return false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end - begin > kLongestWord) return false;
    begin = end + 1;
  }
  return true;
}

/// Wraps a text at blanks into lines of at most kTextColumns; longer words remain whole.
std::string in_lines(std::string_view text) {
  std::string lines;
  std::size_t columns = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t wide = columns_of(word);
    const bool breaks = columns > 0 && columns + 1 + wide > kTextColumns;
    if (breaks) {
      lines += '\n';
      columns = 0;
    } else if (columns > 0) {
      lines += ' ';
      ++columns;
    }
    lines += word;
    columns += wide;
  }
  return lines;
}

/// Returns line `at` of a cell, from 0; empty after the last line.
std::string_view line_of(std::string_view cell, std::size_t at) {
  for (; at > 0; --at) {
    const std::size_t end = cell.find('\n');
    if (end == std::string_view::npos) return {};
    cell.remove_prefix(end + 1);
  }
  return cell.substr(0, cell.find('\n'));
}

/// Returns cells for reading: prose is wrapped, and other long texts are shortened in the middle. If this
/// makes different texts equal, they keep an excerpt from their first difference, or are numbered.
std::vector<std::string> shown_cells(const std::vector<std::string>& texts) {
  std::vector<std::string> shown;
  shown.reserve(texts.size());
  for (const std::string& text : texts) shown.push_back(shortened_text(text, kTextColumns));
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  shown = disambiguated(names, std::move(shown), kTextColumns);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (is_prose(texts[i]) && columns_of(texts[i]) > kTextColumns) shown[i] = in_lines(texts[i]);
  }
  return shown;
}

/// Returns the indentation of a row of a tree. It is limited, since the output of a deep tree would otherwise
/// grow quadratically with the number of rows.
std::string indentation(std::uint32_t depth) {
  const std::string blanks(2 * std::size_t{std::min(depth, kMostIndented)}, ' ');
  return depth <= kMostIndented ? blanks : blanks + "(" + std::to_string(depth) + ") ";
}

using Json = nlohmann::ordered_json;

std::string json_text(const Json& value) { return value.dump(-1, ' ', true, Json::error_handler_t::replace); }

std::string json_cell(const TableColumn& column, std::uint32_t row) {
  if (const auto* texts = std::get_if<TableColumn::Texts>(&column.values)) return json_text((*texts)[row]);
  if (const auto* numbers = std::get_if<TableColumn::Numbers>(&column.values))
    return json_text(std::isfinite((*numbers)[row]) ? Json((*numbers)[row]) : Json());
  const std::int64_t value = std::get<TableColumn::Integers>(column.values)[row];
  return value == kNoInteger ? "null" : std::to_string(value);
}

template <class Write>
std::string whole_text(const Write& write) {
  std::string text;
  write([&](std::string_view piece) { text += piece; });
  return text;
}

std::vector<const TableColumn*> shown_columns(const Table& table) {
  std::vector<const TableColumn*> shown;
  for (const TableColumn& column : table.columns) {
    if (!column.export_only) shown.push_back(&column);
  }
  return shown;
}

/// Escapes HTML, which renderers might execute, and the Markdown characters for cells, code, links and
/// emphasis. GitHub does not read "_" as emphasis between two letters or digits, so aten_mm stays legible.
std::string markdown_cell(const std::string& text) {
  const auto is_inner = [&](std::size_t i) {
    const auto in_word = [&](std::size_t at) {
      return at < text.size() && (is_letter(text[at]) || is_digit(text[at]));
    };
    return i > 0 && in_word(i - 1) && in_word(i + 1);
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      const bool special =
          c == '_' ? !is_inner(i) : std::string_view("|\\`*[~").find(c) != std::string_view::npos;
      if (special) out += '\\';
      out += c;
    }
  }
  return out;
}

/// Formats a share from 0 to 1 as in sentences: "0.0 %" and "100 %" only for exactly 0 and 1. Values outside
/// of this range, such as changes, have one decimal.
std::string cell_share_text(double share) {
  constexpr double kRounding = 1e-9;  // rounding error of sums of shares
  if (std::abs(share - 1) < kRounding) share = 1;
  return share >= 0 && share <= 1 ? text_from_share(share) : formatted("%.1f %%", 100 * share);
}

/// Formats a number of operations with the prefix that leaves at most three digits before the point.
std::string flop_text(double flop) {
  constexpr std::array kUnits{"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"};
  std::size_t unit = 0;
  while (std::abs(flop) >= 999.95 && unit + 1 < kUnits.size()) {
    flop /= 1000;
    ++unit;
  }
  return formatted("%.4g ", flop) + kUnits[unit];
}

}  // namespace

std::string number_text(Unit unit, double value) {
  switch (unit) {
    case Unit::ns:
      return text_from_duration(std::llround(value));
    case Unit::bytes:
      return value < 0 ? "-" + text_from_bytes(-value) : text_from_bytes(value);
    case Unit::count:
      return value < 0 ? "-" + grouped(static_cast<std::uint64_t>(-value))
                       : grouped(static_cast<std::uint64_t>(value));
    case Unit::id:
      return formatted("%.0f", value);
    case Unit::share:
      return cell_share_text(value);
    case Unit::percent:
      return cell_share_text(value / 100);
    case Unit::gb_per_s:
      return formatted("%.3g GB/s", value);
    case Unit::tflop_per_s:
      return formatted("%.3g TFLOP/s", value);
    case Unit::flop:
      return flop_text(value);
    case Unit::text:
    case Unit::number:
      break;
  }
  return formatted(std::abs(value) < 1000 ? "%.4g" : "%.6g", value);
}

std::string cell_text(const TableColumn& column, std::uint32_t row) {
  if (const auto* texts = std::get_if<TableColumn::Texts>(&column.values)) return escaped((*texts)[row]);
  if (const auto* numbers = std::get_if<TableColumn::Numbers>(&column.values))
    return std::isnan((*numbers)[row]) ? std::string() : number_text(column.unit, (*numbers)[row]);
  const std::int64_t value = std::get<TableColumn::Integers>(column.values)[row];
  if (value == kNoInteger) return {};
  // SQL timestamps and ids can exceed 2^53, beyond which a double loses digits.
  if (column.unit == Unit::id) return std::to_string(value);
  return number_text(column.unit, static_cast<double>(value));
}

Result<std::vector<std::uint32_t>> chosen_rows(const Table& table, const TableRequest& request) {
  std::vector<TableOrder> order;
  for (const std::string& wanted : request.sort) {
    const std::size_t colon = std::min(wanted.find(':'), wanted.size());
    const std::string key = wanted.substr(0, colon);
    const std::string direction = wanted.substr(std::min(colon + 1, wanted.size()));
    const TableColumn* column = table.find(key);
    if (column == nullptr) return request_error({msg::the_table_has_no_column, table.name, escaped(key)});
    if (!direction.empty() && direction != "asc" && direction != "desc")
      return request_error({msg::columns_are_sorted_with, escaped(direction)});
    std::size_t index = 0;
    while (&table.columns[index] != column) ++index;
    // Numbers default to descending order, texts to ascending.
    order.push_back({index, direction.empty() ? !column->is_text() : direction == "desc"});
  }
  std::vector<std::uint32_t> rows = ordered_rows(table, order);
  const std::uint64_t limit = request.limit.value_or(
      request.format == TableFormat::text && request.name != "summary" ? kTextRows : 0);
  if (limit > 0 && rows.size() > limit) rows.resize(limit);
  return rows;
}

void write_table_text(const Table& table, std::span<const std::uint32_t> rows, const TextSink& out) {
  const std::vector<const TableColumn*> shown = shown_columns(table);
  const auto whole_cell = [&](std::size_t column, std::uint32_t row) {
    const bool in_tree = column == 0 && row < table.depths.size();
    return (in_tree ? indentation(table.depths[row]) : std::string()) + cell_text(*shown[column], row);
  };
  std::vector<PackedTexts> shortened(shown.size());  // empty if cells are not shortened
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    std::vector<std::string> texts;
    texts.reserve(rows.size());
    for (const std::uint32_t row : rows) texts.push_back(whole_cell(i, row));
    // Text in the last column may be long, since no column follows it.
    const bool last = i + 1 == shown.size() && shown[i]->is_text();
    if (!last && too_long(texts)) {
      texts = shown_cells(texts);
      shortened[i] = PackedTexts(texts);
    }
    std::size_t width = columns_of(shown[i]->title.str());
    for (const std::string& text : texts) {
      std::size_t at = 0;
      do {
        width = std::max(width, columns_of(line_of(text, at)));
      } while (!line_of(text, ++at).empty());
    }
    widths.push_back(width);
  }
  const auto line = [&](const auto& text) {
    std::string all;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (i > 0) all += "  ";
      const bool last = i + 1 == shown.size();  // needs no padding
      all += !shown[i]->is_text() ? padded_left(text(i), widths[i])
             : last               ? text(i)
                                  : padded_right(text(i), widths[i]);
    }
    while (!all.empty() && all.back() == ' ') all.pop_back();
    if (!all.empty()) out(all + "\n");
    return !all.empty();
  };
  line([&](std::size_t i) { return shown[i]->title.str(); });
  std::vector<std::string> cells(shown.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < shown.size(); ++i)
      cells[i] = shortened[i].empty() ? whole_cell(i, rows[row]) : std::string(shortened[i][row]);
    if (!line([&](std::size_t i) { return std::string(line_of(cells[i], 0)); })) out("\n");
    for (std::size_t at = 1; line([&](std::size_t i) { return std::string(line_of(cells[i], at)); });) ++at;
  }
  if (rows.empty()) out(std::string(english(msg::text_no_rows)) + "\n");
  if (rows.size() < table.row_count())
    out(Message(msg::text_more_rows, grouped(table.row_count() - rows.size())).str() + "\n");
  for (const Message& note : table.notes) out(escaped(note.str()) + "\n");
}

void write_table_csv(const Table& table, std::span<const std::uint32_t> rows, const TextSink& out) {
  const auto line = [&](const auto& cell) {
    std::string all;
    for (const TableColumn& column : table.columns) all += cell(column) + ",";
    if (!all.empty()) all.pop_back();
    out(all + "\r\n");
  };
  line([](const TableColumn& column) { return column.key; });
  for (const std::uint32_t row : rows)
    line([&](const TableColumn& column) { return exact_cell(column, row); });
}

void write_table_json(const Table& table, std::span<const std::uint32_t> rows, const TextSink& out) {
  std::vector<std::string> keys;
  for (const TableColumn& column : table.columns) keys.push_back("    " + json_text(column.key) + ": ");
  out("[");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string object = i > 0 ? ",\n  {" : "\n  {";
    for (std::size_t column = 0; column < keys.size(); ++column) {
      object += column > 0 ? ",\n" : "\n";
      object += keys[column];
      object += json_cell(table.columns[column], rows[i]);
    }
    out(object + "\n  }");
  }
  out(rows.empty() ? "]\n" : "\n]\n");
}

void write_table_markdown(const Table& table, std::span<const std::uint32_t> rows, const TextSink& out) {
  const std::vector<const TableColumn*> shown = shown_columns(table);
  const auto line = [&](const auto& cell) {
    std::string all = "|";
    for (const TableColumn* column : shown) all += cell(*column) + "|";
    out(all + "\n");
  };
  line([](const TableColumn& column) { return " " + markdown_cell(column.title.str()) + " "; });
  line([](const TableColumn& column) { return std::string(column.is_text() ? " --- " : " ---: "); });
  for (const std::uint32_t row : rows)
    line([&](const TableColumn& column) { return " " + markdown_cell(cell_text(column, row)) + " "; });
}

std::string table_text(const Table& table, std::span<const std::uint32_t> rows) {
  return whole_text([&](const TextSink& out) { write_table_text(table, rows, out); });
}
std::string table_csv(const Table& table, std::span<const std::uint32_t> rows) {
  return whole_text([&](const TextSink& out) { write_table_csv(table, rows, out); });
}
std::string table_json(const Table& table, std::span<const std::uint32_t> rows) {
  return whole_text([&](const TextSink& out) { write_table_json(table, rows, out); });
}
std::string table_markdown(const Table& table, std::span<const std::uint32_t> rows) {
  return whole_text([&](const TextSink& out) { write_table_markdown(table, rows, out); });
}

std::string shown_cell(const TableColumn& column, std::size_t row) {
  if (row < column.words.size() && !column.words[row].empty()) return in_language(column.words[row]);
  return std::get<TableColumn::Texts>(column.values)[row];
}

std::string shown_title(const Table& table, const TableColumn& column) {
  return with_device_word(in_language(column.title), table.device);
}

std::string shown_definition(const Table& table, const TableColumn& column) {
  return with_device_word(in_language(column.definition), table.device);
}

}  // namespace kino
