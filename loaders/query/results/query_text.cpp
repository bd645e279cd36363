#include "loaders/query/results/query_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/terminal_text.hpp"
#include "core/tables/csv_text.hpp"

namespace kino {
namespace {

constexpr std::pair<std::string_view, QueryFormat> kFormats[] = {{"table", QueryFormat::table},
                                                                 {"csv", QueryFormat::csv},
                                                                 {"json", QueryFormat::json},
                                                                 {"jsonl", QueryFormat::jsonl},
                                                                 {"md", QueryFormat::markdown}};
constexpr std::size_t kWidestCell = 120;

/// Returns the length of the valid UTF-8 character at `at`; 0 if there is none.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(at);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80) return 0;
  }
  if (length == 3 && ((first == 0xE0 && byte(at + 1) < 0xA0) || (first == 0xED && byte(at + 1) > 0x9F)))
    return 0;
  if (length == 4 && ((first == 0xF0 && byte(at + 1) < 0x90) || (first == 0xF4 && byte(at + 1) > 0x8F)))
    return 0;
  return length;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

std::string number_text(double number) {
  std::string text = exact_digits(number);
  if (text.find_first_of(".eEn") == std::string::npos && !text.empty()) text += ".0";
  return text;
}

/// Returns the value for display on one line.
std::string cell_text(const QueryValue& value) {
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* const number = std::get_if<double>(&value)) return number_text(*number);
  if (const auto* const text = std::get_if<std::string_view>(&value)) return escaped(*text);
  return "NULL";
}

bool is_number(const QueryValue& value) { return value.index() == 1 || value.index() == 2; }

}  // namespace

std::optional<QueryFormat> query_format_named(std::string_view name) {
  const auto* const found =
      std::ranges::find(kFormats, name, &std::pair<std::string_view, QueryFormat>::first);
  if (found == std::end(kFormats)) return std::nullopt;
  return found->second;
}

std::string json_quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = character_length(text, at);
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text[at];
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(at, length);
    }
    at += std::max<std::size_t>(1, length);
  }
  return out + '"';
}

std::string json_value(const QueryValue& value) {
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* const number = std::get_if<double>(&value))
    return std::isfinite(*number) ? number_text(*number) : "null";
  if (const auto* const text = std::get_if<std::string_view>(&value)) return json_quoted(*text);
  return "null";
}

void QueryPrinter::columns(std::span<const std::string> names) {
  names_.assign(names.begin(), names.end());
  begun_ = true;
  line_.clear();
  switch (format_) {
    case QueryFormat::csv:
      for (const std::string& name : names_) line_ += (line_.empty() ? "" : ",") + csv_cell(name);
      write_(line_ + "\r\n");
      return;
    case QueryFormat::json:
      return write_("[");
    case QueryFormat::markdown:
      for (const std::string& name : names_) line_ += "| " + escaped(name) + " ";
      line_ += "|\n";
      for (std::size_t i = 0; i < names_.size(); ++i) line_ += "|---";
      return write_(line_ + "|\n");
    case QueryFormat::jsonl:
    case QueryFormat::table:
      return;
  }
}

void QueryPrinter::row(std::span<const QueryValue> values) {
  line_.clear();
  switch (format_) {
    case QueryFormat::csv:
      csv_row(values);
      break;
    case QueryFormat::json:
    case QueryFormat::jsonl:
      json_row(values);
      break;
    case QueryFormat::markdown:
      markdown_row(values);
      break;
    case QueryFormat::table: {
      Held held;
      for (const QueryValue& value : values) {
        held.cells.push_back(cell_text(value));
        held.right.push_back(is_number(value));
      }
      if (aligned_) {
        aligned_row(held.cells, held.right);
      } else {
        held_.push_back(std::move(held));
        if (held_.size() == kAlignedRows) write_held();
      }
      break;
    }
  }
  ++rows_;
}

void QueryPrinter::csv_row(std::span<const QueryValue> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) line_ += ',';
    if (const auto* const text = std::get_if<std::string_view>(&values[i])) {
      line_ += csv_cell(*text);
    } else if (values[i].index() != 0) {
      line_ += cell_text(values[i]);
    }
  }
  write_(line_ + "\r\n");
}

void QueryPrinter::json_row(std::span<const QueryValue> values) {
  if (format_ == QueryFormat::json) line_ = rows_ == 0 ? "\n" : ",\n";
  line_ += '{';
  for (std::size_t i = 0; i < values.size(); ++i)
    line_ += (i == 0 ? "" : ", ") + json_quoted(names_[i]) + ": " + json_value(values[i]);
  line_ += format_ == QueryFormat::json ? "}" : "}\n";
  write_(line_);
}

void QueryPrinter::markdown_row(std::span<const QueryValue> values) {
  for (const QueryValue& value : values) {
    std::string cell = value.index() == 0 ? std::string() : cell_text(value);
    for (std::size_t at = cell.find('|'); at != std::string::npos; at = cell.find('|', at + 2))
      cell.insert(at, "\\");
    line_ += "| " + cell + " ";
  }
  write_(line_ + "|\n");
}

void QueryPrinter::aligned_row(const std::vector<std::string>& cells, const std::vector<bool>& right) {
  line_.clear();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t length = characters(cells[i]);
    const std::string space(widths_[i] > length ? widths_[i] - length : 0, ' ');
    if (i > 0) line_ += "  ";
    line_ += right[i] ? space + cells[i] : cells[i] + (i + 1 < cells.size() ? space : "");
  }
  write_(line_ + "\n");
}

void QueryPrinter::write_held() {
  aligned_ = true;
  std::vector<bool> right(names_.size(), false);
  std::vector<std::string> heads;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    heads.push_back(escaped(names_[i]));
    std::size_t width = characters(heads.back());
    for (const Held& held : held_) width = std::max(width, std::min(kWidestCell, characters(held.cells[i])));
    widths_.push_back(width);
    right[i] = std::ranges::any_of(held_, [i](const Held& held) { return held.right[i]; });
  }
  aligned_row(heads, right);
  for (const Held& held : held_) aligned_row(held.cells, held.right);
  held_.clear();
}

void QueryPrinter::finish() {
  if (format_ == QueryFormat::table && begun_ && !aligned_) write_held();
  if (format_ == QueryFormat::json) write_(begun_ ? (rows_ > 0 ? "\n]\n" : "]\n") : "[]\n");
}

}  // namespace kino
