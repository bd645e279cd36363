#include "loaders/query/sql_text/sql_text.hpp"

#include <algorithm>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

bool is_word_char(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Returns the position after the quoted text. A doubled closing quote does not end the text, except for "]".
std::size_t quoted_end(std::string_view sql, std::size_t at, char close) {
  for (++at; at < sql.size(); ++at) {
    if (sql[at] != close) continue;
    if (at + 1 < sql.size() && sql[at + 1] == close && close != ']') {
      ++at;
    } else {
      return at + 1;
    }
  }
  return sql.size();
}

/// Returns the position after white space and comments.
std::size_t skip_blank(std::string_view sql, std::size_t at) {
  while (at < sql.size()) {
    if (is_space(sql[at])) {
      ++at;
    } else if (sql.substr(at, 2) == "--") {
      at = std::min(sql.size(), sql.find('\n', at));
    } else if (sql.substr(at, 2) == "/*") {
      const std::size_t end = sql.find("*/", at + 2);
      at = end == std::string_view::npos ? sql.size() : end + 2;
    } else {
      break;
    }
  }
  return at;
}

SqlToken token_at(std::string_view sql, std::size_t at) {
  using Kind = SqlToken::Kind;
  const char c = sql[at];
  if (c == '\'') return {Kind::text, at, quoted_end(sql, at, '\'')};
  if (c == '"' || c == '`') return {Kind::quoted_name, at, quoted_end(sql, at, c)};
  if (c == '[') return {Kind::quoted_name, at, quoted_end(sql, at, ']')};
  std::size_t end = at + 1;
  if (c == '$' || c == '@' || c == ':' || c == '?') {
    while (end < sql.size() && is_word_char(sql[end])) ++end;
    return {end > at + 1 ? Kind::variable : Kind::mark, at, end};
  }
  if (is_word_char(c)) {
    const bool number = is_digit(c);
    while (end < sql.size() && (is_word_char(sql[end]) || (number && sql[end] == '.'))) ++end;
    return {number ? Kind::number : Kind::word, at, end};
  }
  if (sql.substr(at, 2) == "!=") return {Kind::mark, at, at + 2};
  return {Kind::mark, at, end};
}

}  // namespace

std::vector<SqlToken> sql_tokens(std::string_view sql) {
  std::vector<SqlToken> tokens;
  for (std::size_t at = skip_blank(sql, 0); at < sql.size(); at = skip_blank(sql, at)) {
    tokens.push_back(token_at(sql, at));
    at = tokens.back().end;
  }
  return tokens;
}

std::vector<SqlRange> sql_statements(std::string_view sql, const std::vector<SqlToken>& tokens) {
  std::vector<SqlRange> statements;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= tokens.size(); ++i) {
    const bool ends =
        i == tokens.size() || (tokens[i].kind == SqlToken::Kind::mark && sql[tokens[i].begin] == ';');
    if (!ends) continue;
    if (i > first) statements.push_back({first, i});
    first = i + 1;
  }
  return statements;
}

std::string sql_identifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

bool SqlWords::take(std::string_view wanted) {
  const std::string_view here = text();
  const bool same = here.size() == wanted.size() &&
                    std::ranges::equal(here, wanted, [](char a, char b) { return lower(a) == lower(b); });
  if (same) ++at_;
  return same;
}

std::string_view SqlWords::take_name() {
  if (at_end()) return {};
  std::string_view name = text();
  if (token().kind == SqlToken::Kind::quoted_name) {
    name = name.size() < 2 ? std::string_view() : name.substr(1, name.size() - 2);
  } else if (token().kind != SqlToken::Kind::word) {
    return {};
  }
  ++at_;
  return name;
}

SqlRange SqlWords::take_brackets() {
  if (text() != "(") return {at_, at_};
  const std::size_t first = ++at_;
  for (std::size_t open = 1; !at_end(); ++at_) {
    if (text() == "(") ++open;
    if (text() == ")" && --open == 0) {
      ++at_;
      return {first, at_ - 1};
    }
  }
  return {first, at_};
}

std::string_view SqlWords::rest() const {
  return at_end() ? std::string_view()
                  : sql_.substr(tokens_[at_].begin, tokens_[last_ - 1].end - tokens_[at_].begin);
}

}  // namespace kino
