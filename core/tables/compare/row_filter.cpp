#include "core/tables/compare/row_filter.hpp"

#include <algorithm>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"

namespace kino {
namespace {

std::string_view kind_word(TimeCategory cause) {
  return cause == TimeCategory::comm ? "communication" : text_of(cause);
}

/// Returns the known field at the start of `text`; empty if there is none. "name::x" is a word.
std::string_view field_at(std::string_view text) {
  for (const std::span<const std::string_view> fields :
       {std::span<const std::string_view>(kWorkFields), std::span<const std::string_view>(kMemoryFields)}) {
    for (const std::string_view field : fields) {
      if (!text.starts_with(field)) continue;
      const std::string_view rest = text.substr(field.size());
      if (rest.starts_with(':') && !rest.starts_with("::")) return field;
    }
  }
  return {};
}

Error unsupported_field(std::string_view field, std::span<const std::string_view> fields, std::size_t at) {
  std::string supported;
  for (const std::string_view name : fields)
    supported += (supported.empty() ? "" : ", ") + std::string(name) + ":";
  return {Error::Kind::unknown_format, {msg::filter_field_unsupported, field, supported}, at};
}

}  // namespace

Result<RowFilter> RowFilter::compile(std::string_view text, std::span<const std::string_view> fields) {
  RowFilter filter;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    Term term;
    if (const std::string_view field = field_at(text.substr(at)); !field.empty()) {
      if (std::ranges::find(fields, field) == fields.end()) return unsupported_field(field, fields, at);
      term.field = field == "name" ? "" : field;
      at += field.size() + 1;
    }
    std::size_t end = std::min(text.find(' ', at), text.size());
    if (at < text.size() && (text[at] == '"' || text[at] == '/')) {
      end = text.find(text[at], at + 1);
      if (end == std::string_view::npos)
        return Error{Error::Kind::unknown_format, {msg::filter_missing_closing, text.substr(at, 1)}, at};
      const std::string_view inner = text.substr(at + 1, end - at - 1);
      if (text[at] == '/') {
        Result<NamePattern> pattern = NamePattern::compile(inner);
        if (!pattern.ok()) return pattern.error();
        term.pattern.push_back(std::move(pattern).value());
      }
      term.word = lowered(inner);
      ++end;
    } else {
      term.word = lowered(text.substr(at, end - at));
    }
    if (term.word.empty()) return Error{Error::Kind::unknown_format, msg::filter_field_without_value, at};
    filter.terms_.push_back(std::move(term));
    at = end;
  }
  return filter;
}

bool RowFilter::holds(const Term& term, std::string_view text) {
  if (!term.pattern.empty()) return term.pattern.front().found_in(text);
  return lowered(text).find(term.word) != std::string::npos;
}

bool RowFilter::matches(const RunRow& row) const {
  return std::ranges::all_of(terms_, [&](const Term& term) {
    if (term.field == "operator") return holds(term, row.op);
    if (term.field == "shape") return holds(term, row.input_dims);
    if (term.field == "module") return holds(term, row.module);
    if (term.field == "kind") return holds(term, kind_word(row.cause));
    return term.field.empty() && holds(term, row.name);
  });
}

bool RowFilter::matches_text(std::string_view text, std::string_view field) const {
  return std::ranges::all_of(terms_, [&](const Term& term) {
    return (term.field.empty() || term.field == field) && holds(term, text);
  });
}

}  // namespace kino
