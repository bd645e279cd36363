#include "loaders/query/sql_text/perfetto_statements.hpp"

#include <utility>

#include "loaders/query/sql_text/sql_text.hpp"

namespace kino {
namespace {

constexpr std::string_view kIntersect = "_interval_intersect";

class StatementReader {
 public:
  StatementReader(std::string_view sql, const std::vector<SqlToken>& tokens, int& made,
                  std::vector<SqlStep>& steps)
      : sql_(sql), tokens_(tokens), made_(made), steps_(steps) {}

  bool read(SqlRange range) {
    SqlWords words(sql_, tokens_, range);
    if (words.take("INCLUDE")) {
      if (words.take("PERFETTO") && words.take("MODULE") && !words.at_end())
        return true;  // all modules are already available
      return fail("INCLUDE needs PERFETTO MODULE and a name", words.offset());
    }
    const std::size_t begin = words.place();
    if (words.take("CREATE")) {
      const bool replace = words.take("OR") && words.take("REPLACE");
      if (words.take("PERFETTO")) return read_perfetto(words, replace);
      while (words.take("TEMP") || words.take("TEMPORARY")) {
      }
      if (words.take("TRIGGER"))
        return fail("CREATE TRIGGER is refused: queries cannot have triggers", words.offset());
      words.go_to(begin);
    }
    return add_sql(words, "", gives_rows(words));
  }

  Error error;

 private:
  bool fail(const std::string& what, std::size_t offset) {
    error = {Error::Kind::unknown_format, what, offset};
    return false;
  }

  static bool gives_rows(SqlWords words) {
    return words.take("SELECT") || words.take("WITH") || words.take("VALUES") || words.take("EXPLAIN") ||
           words.take("PRAGMA");
  }

  bool read_perfetto(SqlWords& words, bool replace) {
    if (words.take("MACRO"))
      return fail("CREATE PERFETTO MACRO is refused: write a FUNCTION or a VIEW", words.offset());
    if (words.take("FUNCTION")) return read_function(words, replace);
    if (words.take("INDEX")) return read_index(words, replace);
    const bool table = words.take("TABLE");
    if (!table && !words.take("VIEW"))
      return fail("CREATE PERFETTO needs TABLE, VIEW, FUNCTION or INDEX", words.offset());
    const std::string name(words.take_name());
    if (name.empty()) return fail("CREATE PERFETTO needs a name", words.offset());
    words.take_brackets();  // types of columns, which the SELECT also defines
    if (!words.take("AS") || words.at_end())
      return fail("CREATE PERFETTO needs AS and a SELECT", words.offset());
    const std::string what = table ? "TABLE" : "VIEW";
    if (replace) add("DROP " + what + " IF EXISTS temp." + sql_identifier(name), words.offset());
    return add_sql(words, "CREATE TEMP " + what + " " + sql_identifier(name) + " AS ", false);
  }

  bool read_index(SqlWords& words, bool replace) {
    const std::string name(words.take_name());
    if (name.empty() || !words.take("ON"))
      return fail("CREATE PERFETTO INDEX needs a name and ON", words.offset());
    if (replace) add("DROP INDEX IF EXISTS temp." + sql_identifier(name), words.offset());
    return add_sql(words, "CREATE INDEX temp." + sql_identifier(name) + " ON ", false);
  }

  bool read_function(SqlWords& words, bool replace) {
    SqlStep step;
    step.kind = SqlStep::Kind::function;
    step.replace = replace;
    step.name = words.take_name();
    if (step.name.empty() || words.text() != "(")
      return fail("CREATE PERFETTO FUNCTION needs a name and its arguments", words.offset());
    if (!read_parameters(words, step.parameters)) return false;
    if (!words.take("RETURNS")) return fail("CREATE PERFETTO FUNCTION needs RETURNS", words.offset());
    if (words.take("TABLE")) {
      if (!read_parameters(words, step.columns)) return false;
      if (step.columns.empty()) return fail("RETURNS TABLE needs columns", words.offset());
    } else {
      if (words.take_name().empty()) return fail("RETURNS needs a type", words.offset());
      words.take_brackets();
    }
    if (!words.take("AS") || words.at_end())
      return fail("CREATE PERFETTO FUNCTION needs AS and a SELECT", words.offset());
    if (!add_sql(words, "", false)) return false;
    // Merges the body, which is the last step, into this step. The steps before the body create the tables
    // that it needs.
    step.sql = std::move(steps_.back().sql);
    step.offset = steps_.back().offset;
    steps_.back() = std::move(step);
    return true;
  }

  bool read_parameters(SqlWords& words, std::vector<SqlParameter>& out) {
    const std::size_t begin = words.offset();
    const SqlRange inside = words.take_brackets();
    SqlWords list(sql_, tokens_, inside);
    while (!list.at_end()) {
      SqlParameter one;
      one.name = list.take_name();
      one.type = list.take_name();
      list.take_brackets();  // JOINID(slice.id)
      if (one.name.empty() || one.type.empty() || (!list.at_end() && !list.take(",")))
        return fail("A list of names and types was expected", begin);
      out.push_back(std::move(one));
    }
    return true;
  }

  void add(std::string sql, std::size_t offset) {
    SqlStep& step = steps_.emplace_back();
    step.sql = std::move(sql);
    step.offset = offset;
  }

  /// Adds a step with `head` and the rest of the statement, in which _interval_intersect!(..) is replaced.
  bool add_sql(SqlWords& words, std::string head, bool rows) {
    SqlStep step;
    step.gives_rows = rows;
    step.offset = words.offset() >= head.size() ? words.offset() - head.size() : 0;
    step.sql = std::move(head);
    std::size_t copied = words.offset();
    const std::string_view rest = words.rest();
    const std::size_t end = copied + rest.size();
    while (!words.at_end()) {
      const std::size_t name_begin = words.offset();
      const std::string_view name = words.text();
      const bool word = words.token().kind == SqlToken::Kind::word;
      words.go_to(words.place() + 1);
      if (!word || words.text() != "!" || words.offset() != name_begin + name.size()) continue;
      if (name != kIntersect) {
        return fail("The macro " + std::string(name.substr(0, 100)) +
                        "! is refused: only _interval_intersect! is known",
                    name_begin);
      }
      words.take("!");
      std::string table;
      if (!make_intersection(words, table)) return false;
      step.sql.append(sql_.substr(copied, name_begin - copied)).append(table);
      copied = words.at_end() ? end : words.offset();
      if (!words.at_end()) step.sql += ' ';
    }
    step.sql.append(sql_.substr(copied, end - copied));
    steps_.push_back(std::move(step));
    return true;
  }

  /// Parses `((a, b), (key, ..))` and adds the step that creates the virtual table of the intersection.
  bool make_intersection(SqlWords& words, std::string& table) {
    const std::size_t begin = words.offset();
    SqlWords arguments(sql_, tokens_, words.take_brackets());
    const SqlRange tables = arguments.take_brackets();
    const bool comma = arguments.take(",");
    const SqlRange keys = arguments.take_brackets();
    if (tables.first == tables.last || !comma || !arguments.at_end())
      return fail("_interval_intersect! needs ((table, table), (column))", begin);
    table = std::string(kIntersect) + "_" + std::to_string(++made_);
    std::string sql =
        "CREATE VIRTUAL TABLE temp." + table + " USING interval_intersect(" + text_between(tables);
    if (keys.first != keys.last) sql += ", PARTITIONED " + text_between(keys);
    add(sql + ")", begin);
    return true;
  }

  std::string text_between(SqlRange range) const {
    return std::string(
        sql_.substr(tokens_[range.first].begin, tokens_[range.last - 1].end - tokens_[range.first].begin));
  }

  std::string_view sql_;
  const std::vector<SqlToken>& tokens_;
  int& made_;
  std::vector<SqlStep>& steps_;
};

}  // namespace

Result<std::vector<SqlStep>> sql_steps(std::string_view sql, int& made) {
  const std::vector<SqlToken> tokens = sql_tokens(sql);
  std::vector<SqlStep> steps;
  for (const SqlRange statement : sql_statements(sql, tokens)) {
    StatementReader reader(sql, tokens, made, steps);
    if (!reader.read(statement)) return reader.error;
  }
  return steps;
}

}  // namespace kino
