#include "loaders/query/query_guard.hpp"

#include <string>
#include <utility>

#include "loaders/query/defined_functions.hpp"
#include "loaders/query/sql_functions.hpp"

namespace kino {
namespace {

constexpr int kLongestSql = 1'000'000;
constexpr int kLongestValue = 64 << 20;

bool is(const char* text, const char* wanted) {
  return text != nullptr && sqlite3_stricmp(text, wanted) == 0;
}

std::string cut(const char* text) {
  return text == nullptr ? std::string() : std::string(text).substr(0, 100);
}

}  // namespace

int QueryGuard::protect(sqlite3* database) {
  constexpr std::pair<int, int> kBounds[] = {{SQLITE_LIMIT_LENGTH, kLongestValue},
                                             {SQLITE_LIMIT_SQL_LENGTH, kLongestSql},
                                             {SQLITE_LIMIT_COLUMN, 500},
                                             {SQLITE_LIMIT_EXPR_DEPTH, 200},
                                             {SQLITE_LIMIT_COMPOUND_SELECT, 100},
                                             {SQLITE_LIMIT_ATTACHED, 0},
                                             {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
                                             {SQLITE_LIMIT_WORKER_THREADS, 0},
                                             {SQLITE_LIMIT_TRIGGER_DEPTH, 1}};
  for (const auto& [what, most] : kBounds) sqlite3_limit(database, what, most);
  constexpr std::pair<int, int> kSettings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                               {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                               {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
                                               {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                               {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0}};
  for (const auto& [what, value] : kSettings) sqlite3_db_config(database, what, value, nullptr);
  return sqlite3_set_authorizer(database, authorize, this);
}

int QueryGuard::authorize(void* guard, int action, const char* first, const char* second,
                          const char* database, const char* /*source*/) {
  auto& self = *static_cast<QueryGuard*>(guard);
  if (self.allows(action, first, second, database)) return SQLITE_OK;
  if (self.context_.refusal.empty()) self.context_.refusal = self.refusal_of(action, first, second);
  return SQLITE_DENY;
}

bool QueryGuard::allows(int action, const char* first, const char* second, const char* database) {
  const bool temporary = is(database, "temp");
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_VIEW:
    case SQLITE_DROP_TEMP_INDEX:
    case SQLITE_REINDEX:
      return true;
    case SQLITE_FUNCTION:
      return second != nullptr && (function_allowed(second) || defined_.knows(second));
    case SQLITE_CREATE_VTABLE:
    case SQLITE_DROP_VTABLE:
      return is(second, "SPAN_JOIN") || is(second, "SPAN_LEFT_JOIN") || is(second, "SPAN_OUTER_JOIN") ||
             is(second, "interval_intersect");
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      // Permits writes to the schema, which CREATE needs, and to temporary tables. DEFENSIVE prevents direct
      // writes to the schema.
      return temporary || is(first, "sqlite_master") || is(first, "sqlite_temp_master");
    case SQLITE_PRAGMA:
      return is(first, "table_info") || is(first, "table_xinfo");
    default:
      return false;
  }
}

std::string QueryGuard::refusal_of(int action, const char* first, const char* second) const {
  switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
      return "ATTACH, DETACH and VACUUM are refused: a query can only read the opened files";
    case SQLITE_PRAGMA:
      return "PRAGMA " + cut(first) + " is refused: a query cannot change settings";
    case SQLITE_FUNCTION:
      return "The function " + cut(second) + " is refused";
    case SQLITE_CREATE_VTABLE:
      return "The module " + cut(second) +
             " is refused: SPAN_JOIN, SPAN_LEFT_JOIN and SPAN_OUTER_JOIN are allowed";
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_CREATE_TEMP_TRIGGER:
      return "CREATE TRIGGER is refused: queries cannot have triggers";
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      return "Writing to " + cut(first) + " is refused: only temporary tables can be written";
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_VIEW:
    case SQLITE_CREATE_INDEX:
      return "Creating " + cut(first) + " is refused: write CREATE TEMP or CREATE PERFETTO";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return "Transactions are refused: a query stores nothing";
    default:
      return "The statement is refused: a query can only read, and create temporary tables and views";
  }
}

}  // namespace kino
