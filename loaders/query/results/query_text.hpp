// Writes a result as text: aligned, CSV, JSON, JSON lines or Markdown.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/query/query_session.hpp"

namespace kino {

enum class QueryFormat : std::uint8_t { table, csv, json, jsonl, markdown };

std::optional<QueryFormat> query_format_named(std::string_view name);

/// Returns `text` as a JSON string in quotes. Invalid UTF-8 becomes U+FFFD.
std::string json_quoted(std::string_view text);
/// Returns the value as JSON: null, a number with all its digits, or a string. Numbers that are not finite
/// become null.
std::string json_value(const QueryValue& value);

/// Writes any number of rows as they arrive. In the aligned form, the first kAlignedRows determine the column
/// widths.
class QueryPrinter : public QueryRows {
 public:
  static constexpr std::size_t kAlignedRows = 1000;

  QueryPrinter(QueryFormat format, std::function<void(std::string_view)> write)
      : format_(format), write_(std::move(write)) {}

  void columns(std::span<const std::string> names) override;
  void row(std::span<const QueryValue> values) override;
  /// Ends the text, for example by closing JSON. Must be called once, even after an error.
  void finish();

 private:
  void csv_row(std::span<const QueryValue> values);
  void json_row(std::span<const QueryValue> values);
  void markdown_row(std::span<const QueryValue> values);
  void aligned_row(const std::vector<std::string>& cells, const std::vector<bool>& right);
  void write_held();

  QueryFormat format_;
  std::function<void(std::string_view)> write_;
  std::vector<std::string> names_;
  bool begun_ = false;
  std::uint64_t rows_ = 0;
  std::string line_;
  // For the aligned form:
  struct Held {
    std::vector<std::string> cells;
    std::vector<bool> right;
  };
  std::vector<Held> held_;
  std::vector<std::size_t> widths_;
  bool aligned_ = false;
};

}  // namespace kino
