#include "loaders/query/query_session.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include <sqlite3.h>

#include "loaders/query/args_table.hpp"
#include "loaders/query/computed_tables.hpp"
#include "loaders/query/defined_functions.hpp"
#include "loaders/query/flow_tables.hpp"
#include "loaders/query/joined_tables.hpp"
#include "loaders/query/program_tables.hpp"
#include "loaders/query/query_guard.hpp"
#include "loaders/query/slice_table.hpp"
#include "loaders/query/snapshot_tables_sql.hpp"
#include "loaders/query/span_join.hpp"
#include "loaders/query/sql_functions.hpp"
#include "loaders/query/sql_text/perfetto_statements.hpp"
#include "loaders/query/sql_text/plan_warnings.hpp"
#include "loaders/query/sql_text/row_sums.hpp"
#include "loaders/query/sql_text/sql_text.hpp"
#include "loaders/query/stack_table.hpp"
#include "loaders/query/trace_tables_sql.hpp"
#include "loaders/query/tree_tables.hpp"
#include "loaders/query/virtual_table.hpp"

namespace kino {
namespace {

constexpr std::size_t kLongestText = 1'000'000;
constexpr std::size_t kLongestSentence = 400;
// Steps of SQLite's virtual machine between checks. One step can create a value of 60 MB. With only 25 steps,
// the checks take as long as a sum over all slices.
constexpr int kStepsBetweenChecks = 100;
// Thresholds for slow queries: about one second of joins and sorting, or half a second of reading arguments.
constexpr std::uint64_t kManySteps = 30'000'000;
constexpr std::uint64_t kManyTexts = 200'000;

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};

int register_slice_tables(sqlite3* database, QueryContext& context) {
  for (const auto& [name, scope] : kSliceTables) {
    if (const int code = register_table(database, name, slice_table(scope, context), context);
        code != SQLITE_OK)
      return code;
  }
  std::pair<const char*, std::unique_ptr<SqlTable>> tables[] = {
      {"ancestor_slice", ancestor_slice_table(context)},
      {"descendant_slice", descendant_slice_table(context)},
      {"flow", flow_table(context)},
      {"following_flow", flow_function_table(FlowDirection::following, context)},
      {"preceding_flow", flow_function_table(FlowDirection::preceding, context)},
      {"directly_connected_flow", flow_function_table(FlowDirection::direct, context)},
      {"args", args_table(context)},
      {"stack", stack_table(context)}};
  for (auto& [name, table] : tables) {
    if (const int code = register_table(database, name, std::move(table), context); code != SQLITE_OK)
      return code;
  }
  return SQLITE_OK;
}

/// During its lifetime, passes to the cursors how the statement sums up rows.
class SumsSet {
 public:
  SumsSet(QueryContext& context, const RowSums* sums) : context_(context) { context_.sums = sums; }
  SumsSet(const SumsSet&) = delete;
  SumsSet& operator=(const SumsSet&) = delete;
  ~SumsSet() {
    context_.sums = nullptr;
    context_.represented_rows = 1;
  }

 private:
  QueryContext& context_;
};

/// One query: its connection and the data of that connection.
class Session {
 public:
  Session(std::span<const std::shared_ptr<const QueryModel>> files, const QueryLimits& limits,
          const std::stop_token& stop)
      : clock_(limits, stop), defined_(context_), guard_(context_, defined_) {
    context_.files.assign(files.begin(), files.end());
    context_.clock = &clock_;
  }

  /// Opens the connection. If it is not `guarded`, only trusted SQL may be run.
  std::optional<Error> open(bool guarded = true) {
    sqlite3* made = nullptr;
    constexpr int kFlags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    const int code = sqlite3_open_v2(":memory:", &made, kFlags, nullptr);
    database_.reset(made);
    if (code != SQLITE_OK)
      return Error{Error::Kind::out_of_memory, "There is not enough memory for the query"};
    sqlite3_extended_result_codes(made, 0);
    sqlite3_progress_handler(
        made, kStepsBetweenChecks,
        [](void* session) { return static_cast<Session*>(session)->goes_on() ? 0 : 1; }, this);
    const bool done =
        sqlite3_exec(made, "PRAGMA temp_store = MEMORY", nullptr, nullptr, nullptr) == SQLITE_OK &&
        register_functions(made, context_) == SQLITE_OK &&
        register_slice_tables(made, context_) == SQLITE_OK &&
        register_trace_tables(made, context_) == SQLITE_OK &&
        register_joined_tables(made, context_) == SQLITE_OK &&
        register_program_tables(made, context_) == SQLITE_OK &&
        register_computed_tables(made, context_) == SQLITE_OK &&
        register_snapshot_tables(made, context_) == SQLITE_OK &&
        register_span_joins(made, context_) == SQLITE_OK && (!guarded || guard_.protect(made) == SQLITE_OK);
    if (!done) {
      return Error{Error::Kind::system, std::string("The query cannot start: ") + sqlite3_errmsg(made)};
    }
    return std::nullopt;
  }

  std::vector<SqlTableName> tables() {
    std::vector<SqlTableName> tables;
    const auto take = [](void* list, int, char** values, char**) {
      static_cast<std::vector<std::string>*>(list)->emplace_back(values[0] != nullptr ? values[0] : "");
      return 0;
    };
    std::vector<std::string> modules;
    // Lists the virtual tables except those of SQLite.
    sqlite3_exec(
        database_.get(),
        "SELECT name FROM pragma_module_list WHERE name NOT LIKE 'pragma%' AND name NOT LIKE 'json%' AND "
        "name NOT LIKE 'fts%' AND name NOT LIKE 'rtree%' AND name NOT IN ('dbstat', 'geopoly', "
        "'span_join', 'span_left_join', 'span_outer_join') ORDER BY name",
        take, &modules, nullptr);
    for (const std::string& name : modules) {
      SqlTableName table{name, {}};
      const std::string sql = "SELECT name FROM pragma_table_info('" + name + "')";
      sqlite3_exec(database_.get(), sql.c_str(), take, &table.columns, nullptr);
      if (!table.columns.empty()) tables.push_back(std::move(table));
    }
    return tables;
  }

  Result<QueryEnd> run(std::string_view sql, QueryRows& out) {
    told_ = &out;
    int made = 0;
    const Result<std::vector<SqlStep>> steps = sql_steps(sql, made);
    if (!steps.ok()) return steps.error();
    std::size_t shown = steps.value().size();
    for (std::size_t i = 0; i < steps.value().size(); ++i) {
      if (steps.value()[i].gives_rows) shown = i;
    }
    QueryEnd end;
    for (std::size_t i = 0; i < steps.value().size(); ++i) {
      const SqlStep& step = steps.value()[i];
      context_.refusal.clear();
      std::optional<Error> error = step.kind == SqlStep::Kind::function
                                       ? define(step)
                                       : execute(step, i == shown ? &out : nullptr, end);
      if (error) return std::move(*error);
    }
    end.files = context_.read_files;
    return end;
  }

 private:
  /// Called repeatedly while a statement runs; returns whether it may continue.
  bool goes_on() {
    steps_ += kStepsBetweenChecks;
    if (told_ != nullptr && steps_ >= kManySteps) {
      for (const Message& reason : std::exchange(reasons_, {})) tell_slow(reason);
    }
    if (told_ != nullptr && context_.texts_read >= kManyTexts) tell_slow(msg::query_reads_many_arguments);
    return !clock_.over();
  }

  void tell_slow(const Message& sentence) {
    if (slow_.insert(sentence.packed()).second) told_->slow(sentence);
  }

  /// Derives warnings from the plan of a statement that is about to run.
  void read_plan(const std::string& sql) {
    steps_ = 0;
    reasons_.clear();
    std::vector<PlanLine> plan;
    const SqlStatement statement = prepared("EXPLAIN QUERY PLAN " + sql);
    while (statement != nullptr && sqlite3_step(statement.get()) == SQLITE_ROW) {
      const auto* const detail = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), 3));
      plan.push_back({sqlite3_column_int(statement.get(), 0), sqlite3_column_int(statement.get(), 1),
                      detail != nullptr ? detail : ""});
    }
    reasons_ = plan_warnings(plan, sql, [this](std::string_view name) { return rows_of(name); });
    context_.refusal.clear();
  }

  std::optional<std::int64_t> rows_of(std::string_view name) {
    const SqlStatement statement = prepared("SELECT MAX(rowid) FROM temp." + sql_identifier(name));
    if (statement == nullptr || sqlite3_step(statement.get()) != SQLITE_ROW) return std::nullopt;
    return sqlite3_column_int64(statement.get(), 0);
  }

  /// Returns how a statement sums up the rows of one table; nullopt if it does anything else, or if the table
  /// does not support it.
  std::optional<RowSums> sums_of(const std::string& sql) {
    std::vector<ProgramStep> program;
    const SqlStatement statement = prepared("EXPLAIN " + sql);
    while (statement != nullptr && sqlite3_step(statement.get()) == SQLITE_ROW) {
      const auto text = [&](int column) {
        const auto* const words = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), column));
        return std::string(words != nullptr ? words : "");
      };
      const auto number = [&](int column) { return sqlite3_column_int(statement.get(), column); };
      program.push_back({text(1), number(2), number(3), number(4), text(5)});
    }
    std::optional<RowSums> sums = row_sums(program);
    if (!sums || sums->reads.empty()) return sums;  // rows can be counted in any table
    // A mean can only be computed over the rows of one file.
    const bool means = std::ranges::any_of(
        sums->reads, [](RowSums::Read read) { return read.figure == RowSums::Figure::mean; });
    if (!slices_add_up(*sums) || (means && context_.files.size() > 1)) return std::nullopt;
    return sums;
  }

  /// Compiles a statement; null if it is invalid or refused.
  SqlStatement prepared(const std::string& sql) {
    sqlite3_stmt* made = nullptr;
    sqlite3_prepare_v2(database_.get(), sql.c_str(), static_cast<int>(sql.size() + 1), &made, nullptr);
    return SqlStatement(made);
  }

  std::optional<Error> define(const SqlStep& step) {
    std::optional<Error> error = defined_.define(database_.get(), step);
    if (error && !context_.refusal.empty()) error->what = context_.refusal;
    return error;
  }

  Error failed(int code, const SqlStep& step) {
    const std::string own = sqlite3_errmsg(database_.get());
    const int place = sqlite3_error_offset(database_.get());
    Error error{Error::Kind::unknown_format, own,
                place < 0 ? step.offset : step.offset + static_cast<std::size_t>(place)};
    if (clock_.end() != QueryClock::End::none) {
      error = {clock_.end() == QueryClock::End::stopped ? Error::Kind::cancelled : Error::Kind::too_large,
               clock_.sentence()};
    } else if (!context_.refusal.empty()) {
      error = {Error::Kind::no_permission, context_.refusal, step.offset};
    } else if (code == SQLITE_NOMEM) {
      error = {Error::Kind::out_of_memory, "There is not enough memory for the query"};
    } else if (code == SQLITE_TOOBIG) {
      error.what =
          "A text or value is larger than the limit of 64 MiB, or the SQL is longer than 1 MB: " + own;
    } else {
      error.what = "SQL: " + own;
    }
    if (error.what.str().size() > kLongestSentence)
      error.what = error.what.str().substr(0, kLongestSentence) + "...";
    return error;
  }

  std::optional<Error> execute(const SqlStep& step, QueryRows* out, QueryEnd& end) {
    sqlite3_stmt* made = nullptr;
    int code = sqlite3_prepare_v2(database_.get(), step.sql.c_str(), static_cast<int>(step.sql.size() + 1),
                                  &made, nullptr);
    if (code != SQLITE_OK) return failed(code, step);
    const SqlStatement statement(made);
    if (made == nullptr) return std::nullopt;
    read_plan(step.sql);
    std::optional<RowSums> sums;
    SqlStatement summing;
    if (out != nullptr) {
      const std::string counted = with_counted_rows(step.sql);
      sums = sums_of(counted);
      if (sums) summing = prepared(counted);
      context_.refusal.clear();
    }
    const SumsSet set(context_, summing != nullptr ? &*sums : nullptr);
    const int columns = sqlite3_column_count(made);
    if (out != nullptr) {
      std::vector<std::string> names;
      names.reserve(static_cast<std::size_t>(columns));
      for (int i = 0; i < columns; ++i) names.emplace_back(sqlite3_column_name(made, i));
      out->columns(names);
    }
    std::vector<QueryValue> values(static_cast<std::size_t>(columns));
    if (summing != nullptr) made = summing.get();
    while ((code = sqlite3_step(made)) == SQLITE_ROW) {
      if (out == nullptr) continue;
      if (end.rows == clock_.limits().rows) {
        end.more = true;
        return std::nullopt;
      }
      for (int i = 0; i < columns; ++i) values[static_cast<std::size_t>(i)] = value_of(made, i);
      out->row(values);
      if (++end.rows % 1024 == 0 && clock_.over()) return failed(SQLITE_INTERRUPT, step);
    }
    if (code != SQLITE_DONE) return failed(code, step);
    return std::nullopt;
  }

  static QueryValue value_of(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
      case SQLITE_INTEGER:
        return sqlite3_column_int64(statement, column);
      case SQLITE_FLOAT:
        return sqlite3_column_double(statement, column);
      case SQLITE_NULL:
        return std::monostate{};
      default: {
        const void* const bytes = sqlite3_column_blob(statement, column);
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
        return bytes == nullptr ? std::string_view("")
                                : std::string_view(static_cast<const char*>(bytes), size);
      }
    }
  }

  QueryClock clock_;
  QueryContext context_;
  DefinedFunctions defined_;
  QueryGuard guard_;
  QueryRows* told_ = nullptr;  // for warnings
  // approximate number of steps of SQLite's virtual machine in the current statement
  std::uint64_t steps_ = 0;
  std::vector<Message> reasons_;              // reasons why the statement may be slow
  std::set<std::string> slow_;                // warnings already reported
  std::unique_ptr<sqlite3, Close> database_;  // destroyed first
};

}  // namespace

Result<QueryEnd> run_query(std::span<const std::shared_ptr<const QueryModel>> files, std::string_view sql,
                           const QueryLimits& limits, QueryRows& out, const std::stop_token& stop) {
  if (sql.size() > kLongestText)
    return Error{Error::Kind::too_large, "The SQL is longer than the limit of 1 MB", kLongestText};
  try {
    Session session(files, limits, stop);
    if (std::optional<Error> error = session.open()) return std::move(*error);
    return session.run(sql, out);
  } catch (const std::bad_alloc&) {
    return Error{Error::Kind::out_of_memory, "There is not enough memory for the query"};
  }
}

std::string partial_files_sentence(std::span<const std::shared_ptr<const QueryModel>> files,
                                   const QueryEnd& end) {
  if (end.files.empty() || end.files.size() >= files.size()) return {};
  constexpr std::size_t kNamed = 3;
  std::string names = std::to_string(end.files.size()) + " files";
  if (end.files.size() <= kNamed) {
    names = "file ";
    for (const std::uint32_t file : end.files) {
      if (file != *end.files.begin()) names += ", ";
      names += std::to_string(file) + " (" + files[file - 1]->file() + ")";
    }
  }
  return "The rows are of " + names + " only; " + std::to_string(files.size()) +
         " files are open. To query all files, use the hidden column `rank` of a table; for one file, use "
         "`file`";
}

std::vector<SqlTableName> query_tables() {
  Session session({}, {}, {});
  return session.open(false) ? std::vector<SqlTableName>() : session.tables();
}

}  // namespace kino
