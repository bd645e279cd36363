#include "app/pages/query/sql_error.hpp"

#include <algorithm>
#include <array>

#include "app/pages/query/sql_completion.hpp"
#include "core/base/ascii.hpp"

namespace kino {
namespace {

/// An unknown name in a sentence of SQLite, without the table or schema before it.
struct UnknownName {
  std::string_view name;
  SqlNameKind kind{};
};

struct Complaint {
  std::string_view text;
  SqlNameKind kind{};
};
constexpr std::array kComplaints{Complaint{"no such column: ", SqlNameKind::column},
                                 Complaint{"no such table: ", SqlNameKind::table},
                                 Complaint{"no such function: ", SqlNameKind::function}};

std::optional<UnknownName> unknown_name(std::string_view problem) {
  for (const Complaint& complaint : kComplaints) {
    const std::size_t at = problem.find(complaint.text);
    if (at == std::string_view::npos) continue;
    std::string_view name = problem.substr(at + complaint.text.size());
    name = name.substr(0, name.find(' '));
    if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
    if (!name.empty()) return UnknownName{name, complaint.kind};
  }
  return std::nullopt;
}

bool continues_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

/// Returns the first position from `from` on where `word` is a whole word, ignoring case; npos if there is
/// none.
std::size_t find_word(std::string_view sql, std::string_view word, std::size_t from) {
  for (std::size_t at = from; at + word.size() <= sql.size(); ++at) {
    const std::size_t end = at + word.size();
    if ((at > 0 && continues_name(sql[at - 1])) || (end < sql.size() && continues_name(sql[end]))) continue;
    if (begins_with_ignoring_case(sql.substr(at), word)) return at;
  }
  return std::string_view::npos;
}

void set_line(std::string_view sql, SqlMistake& mistake) {
  for (const char c : sql.substr(0, mistake.begin)) {
    if (c == '\n') {
      ++mistake.line;
      mistake.column = 1;
    } else if (!continues_character(c)) {
      ++mistake.column;
    }
  }
}

}  // namespace

std::optional<SqlMistake> sql_mistake(std::string_view sql, std::string_view problem, std::uint64_t offset,
                                      const std::vector<SqlTableName>& tables) {
  if (offset > sql.size()) return std::nullopt;
  SqlMistake mistake;
  mistake.begin = static_cast<std::size_t>(offset);
  if (const std::optional<UnknownName> unknown = unknown_name(problem)) {
    std::size_t at = find_word(sql, unknown->name, mistake.begin);
    if (at == std::string_view::npos) at = find_word(sql, unknown->name, 0);
    if (at == std::string_view::npos) return std::nullopt;
    mistake.begin = at;
    mistake.end = at + unknown->name.size();
    mistake.nearest = nearest_sql_name(unknown->name, unknown->kind, sql, tables);
  } else {
    mistake.end = mistake.begin;
    while (mistake.end < sql.size() && continues_name(sql[mistake.end])) ++mistake.end;
    if (mistake.end == mistake.begin && mistake.end < sql.size()) ++mistake.end;
  }
  set_line(sql, mistake);
  return mistake;
}

}  // namespace kino
