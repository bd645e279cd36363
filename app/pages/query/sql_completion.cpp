#include "app/pages/query/sql_completion.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "app/ui/text/nearest_name.hpp"
#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr std::array<std::string_view, 42> kWords{
    "SELECT",      "FROM",        "WHERE",        "GROUP BY",    "ORDER BY",  "LIMIT",        "JOIN",
    "LEFT JOIN",   "USING",       "WITH",         "DISTINCT",    "HAVING",    "CASE",         "WHEN",
    "THEN",        "ELSE",        "END",          "BETWEEN",     "LIKE",      "GLOB",         "REGEXP",
    "count(*)",    "sum(",        "avg(",         "min(",        "max(",      "median(",      "percentile(",
    "stddev(",     "string_agg(", "extract_arg(", "short_name(", "demangle(", "time_to_ns(",  "trace_start()",
    "trace_end()", "trace_dur()", "to_realtime(", "hash(",       "lag(",      "row_number()", "DESC"};

bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

/// Returns whether `sql` contains `word` as a whole word.
bool names(std::string_view sql, std::string_view word) {
  for (std::size_t at = sql.find(word); at != std::string_view::npos; at = sql.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(sql[at - 1])) && (end == sql.size() || !is_word(sql[end]))) return true;
  }
  return false;
}

}  // namespace

Completion completion_at(std::string_view sql, std::size_t cursor, const std::vector<SqlTableName>& tables) {
  Completion out;
  cursor = std::min(cursor, sql.size());
  out.begin = cursor;
  while (out.begin > 0 && is_word(sql[out.begin - 1])) --out.begin;
  const std::string_view word = sql.substr(out.begin, cursor - out.begin);
  std::string_view owner;  // name before the period that precedes the word
  if (out.begin > 1 && sql[out.begin - 1] == '.') {
    std::size_t from = out.begin - 1;
    while (from > 0 && is_word(sql[from - 1])) --from;
    owner = sql.substr(from, out.begin - 1 - from);
  }
  if (word.empty() && owner.empty()) return out;
  std::set<std::string> near;
  std::set<std::string> far;
  const auto offer = [&](std::string_view name, bool is_near) {
    if (begins_with_ignoring_case(name, word) && name != word) (is_near ? near : far).emplace(name);
  };
  for (const SqlTableName& table : tables) {
    const bool own = owner == table.name;
    const bool named = names(sql, table.name);
    if (owner.empty()) offer(table.name, false);
    for (const std::string& column : table.columns) {
      if (owner.empty() || own) offer(column, named || own);
    }
  }
  if (owner.empty()) {
    for (const std::string_view one : kWords) offer(one, false);
  }
  for (const std::string& one : near) {
    far.erase(one);
    out.words.push_back(one);
  }
  out.words.insert(out.words.end(), far.begin(), far.end());
  if (out.words.empty()) return out;
  out.common = out.words.front();
  for (const std::string& one : out.words) {
    const auto same = std::ranges::mismatch(out.common, one, {}, lower, lower);
    out.common.resize(static_cast<std::size_t>(same.in1 - out.common.begin()));
  }
  return out;
}

std::string nearest_sql_name(std::string_view word, SqlNameKind kind, std::string_view sql,
                             const std::vector<SqlTableName>& tables) {
  std::vector<std::string_view> near;
  std::vector<std::string_view> far;
  for (const SqlTableName& table : tables) {
    if (kind == SqlNameKind::table) near.push_back(table.name);
    if (kind != SqlNameKind::column) continue;
    std::vector<std::string_view>& list = names(sql, table.name) ? near : far;
    list.insert(list.end(), table.columns.begin(), table.columns.end());
  }
  for (const std::string_view one : kWords) {
    if (const std::size_t call = one.find('('); kind == SqlNameKind::function && call != one.npos)
      near.push_back(one.substr(0, call));
  }
  std::string lower_word(word);
  std::ranges::transform(lower_word, lower_word.begin(), lower);
  const std::string_view nearest = nearest_name(lower_word, near);
  return std::string(nearest.empty() ? nearest_name(lower_word, far) : nearest);
}

}  // namespace kino
