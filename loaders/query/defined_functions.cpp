#include "loaders/query/defined_functions.hpp"

#include <algorithm>
#include <utility>

#include "core/base/ascii.hpp"
#include "loaders/query/sql_text/sql_text.hpp"

namespace kino {
namespace {

/// Prepares one statement.
Result<SqlStatement> prepared(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size() + 1), &made, nullptr) !=
      SQLITE_OK)
    return Error{Error::Kind::unknown_format, sqlite3_errmsg(database)};
  SqlStatement statement(made);
  if (statement == nullptr) return Error{Error::Kind::unknown_format, "The body is empty"};
  return statement;
}

void bind_argument(sqlite3_stmt* statement, const std::vector<SqlParameter>& parameters, std::size_t number,
                   sqlite3_value* value) {
  const int place = sqlite3_bind_parameter_index(statement, ("$" + parameters[number].name).c_str());
  if (place > 0) sqlite3_bind_value(statement, place, value);
}

void call(sqlite3_context* out, int count, sqlite3_value** values) {
  auto* const scalar = static_cast<DefinedFunctions::Scalar*>(sqlite3_user_data(out));
  if (scalar->running)
    return sqlite3_result_error(out, ("The function " + scalar->name + " calls itself").c_str(), -1);
  sqlite3_stmt* const body = scalar->body.get();
  for (int i = 0; i < count; ++i)
    bind_argument(body, scalar->parameters, static_cast<std::size_t>(i), values[i]);
  scalar->running = true;
  const int code = sqlite3_step(body);
  if (code == SQLITE_ROW) {
    sqlite3_result_value(out, sqlite3_column_value(body, 0));
  } else if (code != SQLITE_DONE) {
    sqlite3_result_error(out, sqlite3_errmsg(sqlite3_db_handle(body)), -1);
    sqlite3_result_error_code(out, code);
  }
  sqlite3_reset(body);
  sqlite3_clear_bindings(body);
  scalar->running = false;
}

struct TableBody {
  std::string name;
  std::string sql;
  std::vector<SqlParameter> parameters;
  std::vector<SqlParameter> columns;
};

class DefinedCursor : public SqlCursor {
 public:
  DefinedCursor(sqlite3* database, const TableBody& body, int& depth)
      : database_(database), body_(body), depth_(depth) {}

  bool begin(int, const char*, std::span<sqlite3_value* const> values) override {
    constexpr int kDeepest = 32;  // limit for bodies that call each other endlessly
    if (depth_ >= kDeepest) {
      failure = "The function " + body_.name + " calls itself";
      return false;
    }
    if (statement_ == nullptr) {
      Result<SqlStatement> made = prepared(database_, body_.sql);
      if (!made.ok()) {
        failure = "The function " + body_.name + ": " + made.error().what.str();
        return false;
      }
      statement_ = std::move(made.value());
    }
    sqlite3_reset(statement_.get());
    for (std::size_t i = 0; i < values.size(); ++i)
      bind_argument(statement_.get(), body_.parameters, i, values[i]);
    row_ = -1;
    return next();
  }

  bool next() override {
    ++depth_;
    const int code = sqlite3_step(statement_.get());
    --depth_;
    there_ = code == SQLITE_ROW;
    ++row_;
    if (code == SQLITE_ROW || code == SQLITE_DONE) return true;
    if (code != SQLITE_INTERRUPT) failure = sqlite3_errmsg(database_);
    return false;
  }
  bool at_end() const override { return !there_; }
  void column(sqlite3_context* out, int column) override {
    if (column < sqlite3_column_count(statement_.get()))
      sqlite3_result_value(out, sqlite3_column_value(statement_.get(), column));
  }
  std::int64_t row_id() const override { return row_; }

 private:
  sqlite3* database_;
  const TableBody& body_;
  int& depth_;
  SqlStatement statement_;
  bool there_ = false;
  std::int64_t row_ = -1;
};

class DefinedTable : public SqlTable {
 public:
  DefinedTable(sqlite3* database, TableBody body) : database_(database), body_(std::move(body)) {}

  std::string columns() const override {
    std::string list;
    for (const SqlParameter& column : body_.columns)
      list += (list.empty() ? "\"" : ", \"") + column.name + "\"";
    for (const SqlParameter& parameter : body_.parameters) list += ", \"" + parameter.name + "\" HIDDEN";
    return list;
  }
  bool of_one_file() const override { return false; }
  int column_count() const override {
    return static_cast<int>(body_.columns.size() + body_.parameters.size());
  }
  bool best_index(sqlite3_index_info& info) const override {
    std::size_t given = 0;
    const int first = static_cast<int>(body_.columns.size());
    for (int i = 0; i < info.nConstraint; ++i) {
      const auto& constraint = info.aConstraint[i];
      if (constraint.op != SQLITE_INDEX_CONSTRAINT_EQ || constraint.iColumn < first ||
          constraint.iColumn >= column_count())
        continue;
      if (constraint.usable == 0) return false;
      info.aConstraintUsage[i].argvIndex = constraint.iColumn - first + 1;
      info.aConstraintUsage[i].omit = 1;
      ++given;
    }
    info.estimatedCost = 1000;
    info.estimatedRows = 100;
    return given == body_.parameters.size();
  }
  std::unique_ptr<SqlCursor> open(const QueryModel&, std::uint32_t) const override {
    return std::make_unique<DefinedCursor>(database_, body_, depth_);
  }

 private:
  sqlite3* database_;
  TableBody body_;
  mutable int depth_ = 0;
};

}  // namespace

bool DefinedFunctions::knows(std::string_view name) const { return calls_.contains(lowered(name)); }

std::optional<Error> DefinedFunctions::define(sqlite3* database, const SqlStep& step) {
  const auto refuse = [&step](const std::string& what) {
    return Error{Error::Kind::unknown_format, "The function " + step.name.substr(0, 100) + what, step.offset};
  };
  const std::string name = lowered(step.name);
  if (!step.replace && calls_.contains(name)) return refuse(" already exists; write CREATE OR REPLACE");
  std::uint64_t calls = 1;
  const std::vector<SqlToken> tokens = sql_tokens(step.sql);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].kind != SqlToken::Kind::word || step.sql[tokens[i + 1].begin] != '(') continue;
    const std::string word = lowered(tokens[i].in(step.sql));
    if (word == name) return refuse(" calls itself, so it would never end");
    if (const auto known = calls_.find(word); known != calls_.end()) calls += known->second;
  }
  if (calls > kMostCalls) {
    return refuse(" makes more than " + std::to_string(kMostCalls) +
                  " calls of other functions, which is refused");
  }
  Result<SqlStatement> body = prepared(database, step.sql);
  if (!body.ok()) return refuse(": " + body.error().what.str());
  if (sqlite3_column_count(body.value().get()) !=
      static_cast<int>(std::max<std::size_t>(1, step.columns.size())))
    return refuse(" returns a different number of columns than it declares");
  for (const SqlParameter& parameter : step.parameters) {
    if (parameter.name.find('"') != std::string::npos)
      return refuse(" has an argument with a quote in its name");
  }
  for (const SqlParameter& column : step.columns) {
    if (column.name.find('"') != std::string::npos) return refuse(" has a column with a quote in its name");
  }
  calls_[name] = calls;
  int code = SQLITE_OK;
  if (step.columns.empty()) {
    auto scalar = std::make_unique<Scalar>();
    scalar->name = step.name;
    scalar->parameters = step.parameters;
    scalar->body = std::move(body.value());
    code = sqlite3_create_function_v2(database, step.name.c_str(), static_cast<int>(step.parameters.size()),
                                      SQLITE_UTF8 | SQLITE_INNOCUOUS, scalar.get(), call, nullptr, nullptr,
                                      nullptr);
    scalars_.push_back(std::move(scalar));
  } else {
    TableBody table{step.name, step.sql, step.parameters, step.columns};
    code = register_table(database, step.name.c_str(),
                          std::make_unique<DefinedTable>(database, std::move(table)), context_);
  }
  if (code != SQLITE_OK) return refuse(std::string(": ") + sqlite3_errmsg(database));
  return std::nullopt;
}

}  // namespace kino
