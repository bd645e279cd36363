#include "app/ui/details/argument_tree.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "app/ui/text/texts.hpp"
#include "core/base/ascii.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostChildren = 500;
constexpr std::size_t kMostRows = 5000;
constexpr std::size_t kLineBytes = 96;     // longest object or array shown on one line
constexpr std::size_t kShownBytes = 3900;  // maximum number of bytes shown of one text

bool is_container(const ArgNode& node) {
  return node.kind == ArgNode::Kind::object || node.kind == ArgNode::Kind::array;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// Appends a node as JSON on one line. Stops after the first value with which `out` exceeds `limit` bytes.
void append_json(const ArgNode& node, std::string& out, std::size_t limit) {
  if (out.size() > limit) return;
  if (!is_container(node)) {
    out += node.kind == ArgNode::Kind::string ? quoted(node.text) : node.text;
    return;
  }
  const bool object = node.kind == ArgNode::Kind::object;
  out += object ? '{' : '[';
  bool first = true;
  for (const ArgNode& child : node.children) {
    if (!first) out += ", ";
    first = false;
    if (object) out += quoted(child.key) + ": ";
    append_json(child, out, limit);
    if (out.size() > limit) return;
  }
  out += object ? '}' : ']';
}

/// Makes the last row of a node, or of the event, which states how many children were omitted.
ArgumentRow row_of_omitted(std::size_t count, std::uint32_t depth, std::size_t index) {
  ArgumentRow rest;
  rest.shown = filled(Text::and_more, {grouped(count)});
  rest.depth = depth;
  rest.end = static_cast<std::uint32_t>(index) + 1;
  return rest;
}

std::string cut(const std::string& text) {
  if (text.size() <= kShownBytes) return text;
  return filled(Text::arguments_cut, {head_of(text, kShownBytes), grouped(text.size())});
}

void append_rows(const ArgNode& node, std::string key, std::uint32_t depth, std::vector<ArgumentRow>& rows) {
  const auto index = rows.size();
  ArgumentRow row;
  row.key = std::move(key);
  row.depth = depth;
  if (is_container(node)) {
    std::string line;
    append_json(node, line, kLineBytes);
    constexpr std::size_t kMostCopied = std::size_t{1} << 20;
    append_json(node, row.copy, kMostCopied);
    if (line.size() <= kLineBytes) {
      row.shown = std::move(line);
    } else {
      row.shown = filled(node.kind == ArgNode::Kind::object ? Text::arguments_entries : Text::arguments_items,
                         {grouped(node.children.size())});
      row.open = node.children.size() <= 40;
      rows.push_back(std::move(row));
      std::size_t listed = 0;
      for (const ArgNode& child : node.children) {
        if (listed == kMostChildren || rows.size() >= kMostRows) {
          rows.push_back(row_of_omitted(node.children.size() - listed, depth + 1, rows.size()));
          break;
        }
        const bool object = node.kind == ArgNode::Kind::object;
        append_rows(child, object ? child.key : std::to_string(listed), depth + 1, rows);
        ++listed;
      }
      rows[index].end = static_cast<std::uint32_t>(rows.size());
      return;
    }
  } else {
    row.copy = node.text;
    row.shown = cut(node.text);
    if (node.kind == ArgNode::Kind::number && is_quantity(row.key)) row.shown = grouped_if_integer(row.shown);
  }
  row.end = static_cast<std::uint32_t>(index) + 1;
  rows.push_back(std::move(row));
}

}  // namespace

bool is_quantity(std::string_view key) {
  constexpr std::array<std::string_view, 16> kWords{
      "bytes", "size",     "elem",  "count",     "dur",   "time",   "total", "memory",
      "alloc", "reserved", "flops", "bandwidth", "usage", "cycles", "limit", "samples"};
  constexpr std::array<std::string_view, 4> kIds{"id", "addr", "timestamp", "ptr"};
  const auto has = [&](std::string_view word) { return contains_ignoring_case(key, word); };
  const auto last = key.find_last_of(" _-");
  const std::string_view end = last == std::string_view::npos ? key : key.substr(last + 1);
  const auto names = [&](std::string_view word) { return contains_ignoring_case(end, word); };
  const bool id = end.size() == 2 ? names("id") : std::ranges::any_of(std::span(kIds).subspan(1), has);
  return !id && std::ranges::any_of(kWords, has);
}

std::string grouped_if_integer(const std::string& text) {
  constexpr std::size_t kShortest = 5;
  constexpr std::size_t kLongest = 19;
  const bool negative = text.starts_with('-');
  const std::string_view digits = std::string_view(text).substr(negative ? 1 : 0);
  if (digits.size() < kShortest || digits.size() > kLongest) return text;
  if (!std::ranges::all_of(digits, is_digit)) return text;
  return (negative ? "-" : "") + grouped(std::stoull(std::string(digits)));
}

std::vector<ArgumentRow> argument_rows(const ArgNode& event) {
  constexpr std::array<std::string_view, 8> kElsewhere{"name", "cat", "ph",  "ts",
                                                       "dur",  "pid", "tid", "args"};
  std::vector<ArgumentRow> rows;
  std::size_t omitted = 0;
  const auto append = [&](const ArgNode& node, std::string key) {
    if (rows.size() < kMostRows) {
      append_rows(node, std::move(key), 0, rows);
    } else {
      ++omitted;
    }
  };
  if (const ArgNode* args = event.find("args"); args != nullptr) {
    if (is_container(*args)) {
      std::size_t index = 0;
      for (const ArgNode& child : args->children) {
        append(child, args->kind == ArgNode::Kind::object ? child.key : std::to_string(index));
        ++index;
      }
    } else {
      append(*args, "args");
    }
  }
  for (const ArgNode& child : event.children) {
    if (std::ranges::find(kElsewhere, child.key) == kElsewhere.end()) append(child, child.key);
  }
  if (omitted > 0) rows.push_back(row_of_omitted(omitted, 0, rows.size()));
  return rows;
}

}  // namespace kino
