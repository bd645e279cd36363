#include "loaders/query/sql_text/plan_warnings.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/time_text.hpp"
#include "loaders/query/sql_text/sql_text.hpp"

namespace kino {
namespace {

constexpr double kManyRead = 20e6;
constexpr double kManySorted = 1e6;
constexpr double kFewRows = 2000;   // reading a table of up to this size again causes no warning
constexpr double kMostRows = 1e15;  // upper bound of estimated row counts
constexpr std::string_view kVirtual = " VIRTUAL TABLE INDEX ";
constexpr std::string_view kSort = "USE TEMP B-TREE FOR ";

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

/// Returns whether the outermost SELECT has a LIMIT, which bounds the rows to sort.
bool is_limited(std::string_view sql, const std::vector<SqlToken>& tokens) {
  int depth = 0;
  for (const SqlToken& token : tokens) {
    const std::string_view text = token.in(sql);
    if (text == "(") ++depth;
    if (text == ")") --depth;
    if (depth == 0 && token.kind == SqlToken::Kind::word && same_word(text, "limit")) return true;
  }
  return false;
}

/// Reads the plan of a statement: a tree in which each loop is nested in the preceding loops.
class PlanReader {
 public:
  PlanReader(std::span<const PlanLine> plan, std::string_view sql, const RowsOfTable& rows_of)
      : plan_(plan), sql_(sql), rows_of_(rows_of), tokens_(sql_tokens(sql)) {
    for (std::size_t i = 0; i < plan.size(); ++i) below_[plan[i].parent].push_back(i);
  }

  std::vector<Message> read() {
    walk(0, 1, {}, 0);
    return std::move(sentences_);
  }

 private:
  static constexpr int kDeepest = 100;

  void add(Message sentence) {
    if (std::ranges::find(sentences_, sentence) == sentences_.end())
      sentences_.push_back(std::move(sentence));
  }

  static std::string row_text(double rows) {
    return grouped(static_cast<std::uint64_t>(std::clamp(rows, 0.0, kMostRows)));
  }

  /// Returns the number of rows of the table `name`; if `name` is an alias, of the table in "table AS name".
  std::optional<std::int64_t> rows_of_temporary(std::string_view name) const {
    if (const auto rows = rows_of_(name)) return rows;
    const auto text = [&](std::size_t i) { return tokens_[i].in(sql_); };
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
      if (!same_word(text(i), name)) continue;
      const std::size_t before = same_word(text(i - 1), "as") && i > 1 ? i - 2 : i - 1;
      if (tokens_[before].kind != SqlToken::Kind::word) continue;
      if (const auto rows = rows_of_(text(before))) return rows;
    }
    return std::nullopt;
  }

  struct Loop {
    std::string name;  ///< preceded by the name of the table if that differs
    double rows = 1;   ///< number of rows per search
  };
  Loop loop_of(std::string_view detail) const {
    std::string_view rest = detail.substr(detail.find(' ') + 1);
    const std::size_t place = rest.find(kVirtual);
    if (place == std::string_view::npos) {
      const std::string_view name = rest.substr(0, rest.find(' '));
      const bool whole = detail.starts_with("SCAN ") || rest.find("AUTOMATIC") != std::string_view::npos;
      const auto rows = whole ? rows_of_temporary(name) : std::nullopt;
      return {std::string(name), rows ? static_cast<double>(*rows) : 1};
    }
    Loop loop{std::string(rest.substr(0, place)), 1};
    rest.remove_prefix(place + kVirtual.size());
    rest.remove_prefix(std::min(rest.find(':'), rest.size() - 1) + 1);  // skips the number of the plan
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) return loop;
    const std::string_view table = rest.substr(0, colon);
    if (!same_word(table, loop.name)) loop.name = std::string(table) + " " + loop.name;
    std::int64_t rows = 1;
    std::from_chars(rest.data() + colon + 1, rest.data() + rest.size(), rows);
    loop.rows = static_cast<double>(std::max<std::int64_t>(rows, 1));
    return loop;
  }

  void read_loop(std::string_view detail, double& rows, std::string& outer) {
    const Loop loop = loop_of(detail);
    if (detail.find(" AUTOMATIC ") != std::string_view::npos) {
      if (loop.rows >= kManySorted) add({msg::query_builds_an_index, row_text(loop.rows), loop.name});
      return;
    }
    if (rows > 1 && rows * loop.rows >= kManyRead && loop.rows > kFewRows) {
      add({msg::query_reads_rows_again, row_text(loop.rows), loop.name, row_text(rows), outer});
    }
    if (loop.rows >= 2) outer += (outer.empty() ? "" : ", ") + loop.name;
    rows = std::min(rows * loop.rows, kMostRows);
  }

  void walk(int node, double rows, std::string outer, int depth) {
    if (depth > kDeepest) return;
    const double begin = rows;
    for (const std::size_t i : below_[node]) {
      const std::string_view detail = plan_[i].detail;
      if (detail.starts_with("SCAN ") || detail.starts_with("SEARCH ")) {
        read_loop(detail, rows, outer);
        walk(plan_[i].id, rows, outer, depth + 1);
      } else if (detail.starts_with("CORRELATED ")) {
        walk(plan_[i].id, rows, outer, depth + 1);
      } else if (detail.starts_with(kSort)) {
        const std::string_view what = detail.substr(kSort.size());
        const bool few = depth == 0 && what.ends_with("ORDER BY") && is_limited(sql_, tokens_);
        if (rows >= kManySorted && !few) add({msg::query_sorts_many_rows, row_text(rows), what});
      } else {
        walk(plan_[i].id, begin, {}, depth + 1);  // runs once
      }
    }
  }

  std::span<const PlanLine> plan_;
  std::string_view sql_;
  const RowsOfTable& rows_of_;
  std::vector<SqlToken> tokens_;
  std::map<int, std::vector<std::size_t>> below_;
  std::vector<Message> sentences_;
};

}  // namespace

std::string plan_mark(std::string_view table, std::int64_t rows) {
  return std::string(table) + ":" + std::to_string(rows) + " ";
}

const char* after_plan_mark(const char* text) {
  const char* const space = text == nullptr ? nullptr : std::strchr(text, ' ');
  return space == nullptr ? text : space + 1;
}

std::vector<Message> plan_warnings(std::span<const PlanLine> plan, std::string_view sql,
                                   const RowsOfTable& rows_of) {
  return PlanReader(plan, sql, rows_of).read();
}

}  // namespace kino
