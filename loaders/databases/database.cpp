#include "loaders/databases/database.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <sqlite3.h>

#include "loaders/databases/text_vfs.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostTables = 4096;
constexpr std::size_t kMostColumns = 2000;
constexpr int kLargestValue = 64 << 20;      // bytes of one cell
constexpr int kInstructionsBetween = 20000;  // of SQLite's machine: well below 50 ms

/// The name as SQL has it, so that it is nothing but a name.
std::string sql_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    out += c;
    if (c == '"') out += c;
  }
  return out + '"';
}

/// Reading tables and what that takes is all there is.
int allow_reading(void* /*context*/, int action, const char* /*first*/, const char* /*second*/,
                  const char* /*database*/, const char* /*trigger*/) {
  return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_PRAGMA ? SQLITE_OK
                                                                                     : SQLITE_DENY;
}

/// Whether a table holds its rows itself. SQLite writes these words so, whatever was typed.
bool is_stored(std::string_view sql) { return sql.starts_with("CREATE TABLE"); }

}  // namespace

struct Database::Connection {
  explicit Connection(std::shared_ptr<const TextSource> text, std::stop_token stopped)
      : vfs(std::move(text)), stop(std::move(stopped)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { sqlite3_close_v2(handle); }

  TextVfs vfs;
  std::stop_token stop;
  sqlite3* handle = nullptr;
  std::vector<TableInfo> tables;
};

DatabaseRows::DatabaseRows(DatabaseRows&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)), failure_(std::move(other.failure_)) {}

DatabaseRows& DatabaseRows::operator=(DatabaseRows&& other) noexcept {
  std::swap(statement_, other.statement_);
  std::swap(failure_, other.failure_);
  return *this;
}

DatabaseRows::~DatabaseRows() { sqlite3_finalize(statement_); }

bool DatabaseRows::next() {
  if (statement_ == nullptr) return false;
  const int answer = sqlite3_step(statement_);
  if (answer == SQLITE_ROW) return true;
  if (answer != SQLITE_DONE && answer != SQLITE_INTERRUPT)
    failure_ = sqlite3_errmsg(sqlite3_db_handle(statement_));
  sqlite3_finalize(std::exchange(statement_, nullptr));
  return false;
}

std::optional<std::int64_t> DatabaseRows::integer(int column) const {
  // One call into the statement instead of two: connections without a mutex may look at the value itself.
  sqlite3_value* const value = sqlite3_column_value(statement_, column);
  if (sqlite3_value_type(value) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_value_int64(value);
}

std::int64_t DatabaseRows::integer_or(int column, std::int64_t otherwise) const {
  return integer(column).value_or(otherwise);
}

std::optional<double> DatabaseRows::number(int column) const {
  sqlite3_value* const value = sqlite3_column_value(statement_, column);
  const int type = sqlite3_value_type(value);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return std::nullopt;
  return sqlite3_value_double(value);
}

std::string_view DatabaseRows::text(int column) const {
  sqlite3_value* const value = sqlite3_column_value(statement_, column);
  if (sqlite3_value_type(value) != SQLITE_TEXT) return {};
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

namespace {

/// What a hostile file could make SQLite do is turned off. See "Defense Against The Dark Arts" in its manual.
void harden(sqlite3* handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLargestValue);
  sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, static_cast<int>(kMostColumns));
  sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 16);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_exec(handle, "PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-4096;",
               nullptr, nullptr, nullptr);
  sqlite3_set_authorizer(handle, allow_reading, nullptr);
}

sqlite3_stmt* prepared(sqlite3* handle, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()), &statement, nullptr) !=
      SQLITE_OK) {
    sqlite3_finalize(statement);
    return nullptr;
  }
  return statement;
}

}  // namespace

Result<Database> Database::open(std::shared_ptr<const TextSource> text, const std::stop_token& stop) {
  auto connection = std::make_unique<Connection>(std::move(text), stop);
  const auto unreadable = [&](const char* what) {
    const char* const why = connection->handle != nullptr ? sqlite3_errmsg(connection->handle) : "";
    return Error{Error::Kind::corrupt, std::string(what) + ": " + why, kNoOffset};
  };
  if (!connection->vfs.registered() ||
      sqlite3_open_v2("recording", &connection->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                      connection->vfs.name()) != SQLITE_OK) {
    return unreadable("The SQLite database cannot be opened");
  }
  harden(connection->handle);
  sqlite3_progress_handler(
      connection->handle, kInstructionsBetween,
      [](void* context) { return static_cast<const std::stop_token*>(context)->stop_requested() ? 1 : 0; },
      &connection->stop);
  DatabaseRows list;
  list.statement_ = prepared(connection->handle, "SELECT name, sql FROM sqlite_master WHERE type = 'table'");
  if (list.statement_ == nullptr) return unreadable("The tables of the SQLite database cannot be listed");
  while (list.next() && connection->tables.size() < kMostTables) {
    const std::string_view name = list.text(0);
    if (name.empty() || !is_stored(list.text(1))) continue;
    connection->tables.push_back({std::string(name), {}});
  }
  if (stop.stop_requested()) return cancelled("Loading");
  if (!list.failure().empty() && connection->tables.empty())
    return unreadable("The tables of the SQLite database cannot be listed");
  for (TableInfo& table : connection->tables) {
    DatabaseRows columns;
    columns.statement_ = prepared(connection->handle, "PRAGMA table_info(" + sql_name(table.name) + ")");
    while (columns.next()) table.columns.emplace_back(columns.text(1));
  }
  return Database(std::move(connection));
}

const std::vector<Database::TableInfo>& Database::tables() const { return connection_->tables; }

const Database::TableInfo* Database::find(std::string_view table) const {
  const auto found = std::ranges::find(connection_->tables, table, &TableInfo::name);
  return found == connection_->tables.end() ? nullptr : &*found;
}

bool Database::has(std::string_view table, std::string_view column) const {
  const TableInfo* const info = find(table);
  return info != nullptr && std::ranges::find(info->columns, column) != info->columns.end();
}

DatabaseRows Database::rows(std::string_view table, std::initializer_list<std::string_view> columns,
                            const RowsWith& with) const {
  DatabaseRows rows;
  const TableInfo* const info = find(table);
  if (info == nullptr) return rows;
  std::string sql = "SELECT ";
  for (const std::string_view column : columns) {
    if (sql.size() > 7) sql += ", ";
    const bool there = std::ranges::find(info->columns, column) != info->columns.end();
    sql += there ? sql_name(column) : "NULL";
  }
  sql += " FROM " + sql_name(table);
  std::string condition;
  const auto either = [&](std::string_view column, const std::string& test) {
    if (!has(table, column)) return;
    condition += (condition.empty() ? "" : " OR ") + sql_name(column) + test;
  };
  for (const std::int64_t value : with.values) either(with.column, " = " + std::to_string(value));
  for (const std::string_view column : with.or_any) either(column, " IS NOT NULL");
  if (!with.column.empty()) sql += " WHERE " + (condition.empty() ? "0" : condition);
  rows.statement_ = prepared(connection_->handle, sql);
  if (rows.statement_ == nullptr) rows.failure_ = sqlite3_errmsg(connection_->handle);
  return rows;
}

}  // namespace kino
