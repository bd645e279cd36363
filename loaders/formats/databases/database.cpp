#include "loaders/formats/databases/database.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include <sqlite3.h>

#include "loaders/bytes/buffer_relay.hpp"
#include "loaders/formats/databases/text_vfs.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostTables = 4096;
constexpr std::size_t kMostColumns = 2000;
constexpr int kLargestValue = 64 << 20;      // maximum size of one cell in bytes
constexpr int kInstructionsBetween = 20000;  // virtual machine steps between two stop checks; under 50 ms

/// Returns `name` as a quoted SQL identifier, so that it cannot be parsed as anything else.
std::string sql_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

/// SQLite authorizer: permits only reading tables, and pragmas.
int allow_reading(void* /*context*/, int action, const char* /*first*/, const char* /*second*/,
                  const char* /*database*/, const char* /*trigger*/) {
  return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_PRAGMA ? SQLITE_OK
                                                                                     : SQLITE_DENY;
}

}  // namespace

struct Database::Connection {
  explicit Connection(std::shared_ptr<const TextSource> text, std::stop_token stopped)
      : vfs(std::move(text)), stop(std::move(stopped)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { sqlite3_close_v2(handle); }

  /// Returns the rows of `sql`; no rows and a failure if it is not valid.
  DatabaseRows rows_of(const std::string& sql);

  TextVfs vfs;
  std::stop_token stop;
  std::mutex mutex;  // guards the handle and its statements
  sqlite3* handle = nullptr;
  std::vector<TableInfo> tables;
};

struct DatabaseRows::Rows {
  std::vector<Value> values;
  std::string texts;
  std::size_t count = 0;
};

class DatabaseRows::Reader {
 public:
  Reader(Database::Connection& connection, sqlite3_stmt* statement)
      : connection_(connection), statement_(statement), columns_(sqlite3_column_count(statement)) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    rows_.leave();
    if (thread_.joinable()) thread_.join();
    const std::lock_guard lock(connection_.mutex);
    sqlite3_finalize(statement_);
  }

  std::size_t columns() const { return static_cast<std::size_t>(columns_); }

  /// Returns the next rows, which replace the rows returned before. Null after the last row.
  const Rows* next() {
    if (held_ == nullptr) {
      held_ = rows_.next_empty();
      fill(*held_);
      if (!ended_) thread_ = std::thread([this] { run(); });
    } else if (thread_.joinable()) {
      rows_.emptied(std::move(held_));
      held_ = rows_.next_full();
      if (held_ == nullptr) thread_.join();
    } else {
      return nullptr;
    }
    if (held_ == nullptr && broken_) std::rethrow_exception(broken_);
    return held_ != nullptr && held_->count > 0 ? held_.get() : nullptr;
  }
  /// Returns the failure; valid once next() has returned null.
  std::string failure() const { return failure_; }

 private:
  void run() {
    try {
      while (!ended_) {
        auto rows = rows_.next_empty();
        if (rows == nullptr) break;
        fill(*rows);
        rows_.filled(std::move(rows));
      }
    } catch (...) {
      broken_ = std::current_exception();
    }
    rows_.end();
  }

  void fill(Rows& rows) {
    const std::lock_guard lock(connection_.mutex);
    rows.values.clear();
    rows.texts.clear();
    rows.count = 0;
    while (rows.values.size() < kMostValues && rows.texts.size() < kMostText) {
      const int answer = sqlite3_step(statement_);
      if (answer != SQLITE_ROW) {
        if (answer != SQLITE_DONE && answer != SQLITE_INTERRUPT)
          failure_ = sqlite3_errmsg(connection_.handle);
        ended_ = true;
        return;
      }
      for (int column = 0; column < columns_; ++column) add(rows, column);
      ++rows.count;
    }
  }

  void add(Rows& rows, int column) {
    // Uses the value object, which is allowed for connections without a mutex. It needs one call into the
    // statement, instead of one for the type and one for the content.
    sqlite3_value* const in = sqlite3_column_value(statement_, column);
    Value& out = rows.values.emplace_back();
    switch (sqlite3_value_type(in)) {
      case SQLITE_INTEGER:
        out.type = Value::Type::integer;
        out.integer = sqlite3_value_int64(in);
        break;
      case SQLITE_FLOAT:
        out.type = Value::Type::number;
        out.number = sqlite3_value_double(in);
        break;
      case SQLITE_TEXT: {
        const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(in));
        if (text == nullptr) break;
        out.type = Value::Type::text;
        out.text_at = rows.texts.size();
        out.text_size = static_cast<std::uint32_t>(sqlite3_value_bytes(in));
        rows.texts.append(text, out.text_size);
        break;
      }
      default:
        break;
    }
  }

  static constexpr std::size_t kMostValues = 8192;                  // plus one row
  static constexpr std::size_t kMostText = std::size_t{128} << 10;  // plus one row
  static constexpr std::size_t kMostRows = 4;                       // buffers of rows

  Database::Connection& connection_;
  sqlite3_stmt* statement_;
  const int columns_;
  BufferRelay<Rows> rows_{kMostRows};
  std::unique_ptr<Rows> held_;
  // The members below are used by the thread while it runs.
  bool ended_ = false;
  std::string failure_;
  std::exception_ptr broken_;
  std::thread thread_;
};

DatabaseRows::DatabaseRows() = default;
DatabaseRows::DatabaseRows(DatabaseRows&& other) noexcept = default;
DatabaseRows& DatabaseRows::operator=(DatabaseRows&& other) noexcept = default;
DatabaseRows::~DatabaseRows() = default;

DatabaseRows Database::Connection::rows_of(const std::string& sql) {
  const std::lock_guard lock(mutex);
  DatabaseRows rows;
  sqlite3_stmt* statement = nullptr;
  const int answer =
      sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (answer == SQLITE_OK && statement != nullptr) {
    rows.reader_ = std::make_unique<DatabaseRows::Reader>(*this, statement);
  } else {
    rows.failure_ = sqlite3_errmsg(handle);
    sqlite3_finalize(statement);
  }
  return rows;
}

bool DatabaseRows::next_rows() {
  if (reader_ == nullptr) return false;
  const Rows* const rows = reader_->next();
  if (rows == nullptr) {
    failure_ = reader_->failure();
    reader_.reset();
    return false;
  }
  left_ = rows->count;
  columns_ = reader_->columns();
  next_ = rows->values.data();
  texts_ = rows->texts.data();
  return true;
}

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

namespace {

/// Disables features that a hostile file could abuse. See "Defense Against The Dark Arts" in SQLite's manual.
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

}  // namespace

Result<Database> Database::open(std::shared_ptr<const TextSource> text, const std::stop_token& stop) {
  auto connection = std::make_unique<Connection>(std::move(text), stop);
  const auto unreadable = [&](const char* what) {
    const char* const why = connection->handle != nullptr ? sqlite3_errmsg(connection->handle) : "";
    return Error{Error::Kind::corrupt, std::string(what) + ": " + why};
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
  DatabaseRows list = connection->rows_of("SELECT name, sql FROM sqlite_master WHERE type = 'table'");
  while (list.next() && connection->tables.size() < kMostTables) {
    const std::string_view name = list.text(0);
    if (name.empty() || !list.text(1).starts_with("CREATE TABLE")) continue;  // views and virtual tables
    connection->tables.push_back({std::string(name), {}});
  }
  if (stop.stop_requested()) return cancelled("Loading");
  if (!list.failure().empty() && connection->tables.empty())
    return unreadable("The tables of the SQLite database cannot be listed");
  for (TableInfo& table : connection->tables) {
    DatabaseRows columns = connection->rows_of("PRAGMA table_info(" + sql_name(table.name) + ")");
    while (columns.next()) table.columns.emplace_back(columns.text(1));
  }
  return Database(std::move(connection));
}

const std::vector<Database::TableInfo>& Database::tables() const { return connection_->tables; }

std::uint64_t Database::size_bytes() const { return connection_->vfs.text().size_bytes(); }
std::uint64_t Database::bytes_read() const { return connection_->vfs.bytes_read(); }

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
  if (!has(table)) return {};
  std::string sql = "SELECT ";
  for (const std::string_view column : columns) {
    if (sql.size() > 7) sql += ", ";
    sql += has(table, column) ? sql_name(column) : "NULL";
  }
  sql += " FROM " + sql_name(table);
  std::string filter;
  const auto add_test = [&](std::string_view column, const std::string& test) {
    if (has(table, column)) filter += (filter.empty() ? "" : " OR ") + sql_name(column) + test;
  };
  for (const std::int64_t value : with.values) add_test(with.column, " = " + std::to_string(value));
  for (const std::string_view column : with.or_any) add_test(column, " IS NOT NULL");
  if (!with.column.empty()) sql += " WHERE " + (filter.empty() ? "0" : filter);
  return connection_->rows_of(sql);
}

}  // namespace kino
