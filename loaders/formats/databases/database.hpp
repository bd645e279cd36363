// Reads an SQLite database written by a profiler, table by table. No SQL in the database is executed.
//
// Only ordinary tables are read: views can contain any SQL, and virtual tables can call any module. Columns
// are requested by name. A missing column has no values, and a missing table has no rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "loaders/bytes/text_source.hpp"

namespace kino {

/// Rows of a table in stored order. After the first batch of rows, a separate thread reads ahead. The
/// database must outlive this object, which is used by one thread.
class DatabaseRows {
 public:
  DatabaseRows();
  DatabaseRows(DatabaseRows&& other) noexcept;
  DatabaseRows& operator=(DatabaseRows&& other) noexcept;
  ~DatabaseRows();

  /// Moves to the next row. Returns false at the end, after a stop request, or if the rest of the table is
  /// unreadable. In the last case, failure() contains the reason.
  bool next() {
    if (left_ == 0 && !next_rows()) return false;
    --left_;
    row_ = std::exchange(next_, next_ + columns_);
    return true;
  }
  std::string_view failure() const { return failure_; }

  /// Returns an integer; nullopt if the value has another type. `column` is an index into the requested
  /// columns.
  std::optional<std::int64_t> integer(int column) const {
    const Value& value = row_[column];
    return value.type == Value::Type::integer ? std::optional(value.integer) : std::nullopt;
  }
  std::int64_t integer_or(int column, std::int64_t otherwise) const {
    return integer(column).value_or(otherwise);
  }
  std::optional<double> number(int column) const {
    const Value& value = row_[column];
    if (value.type == Value::Type::number) return value.number;
    return value.type == Value::Type::integer ? std::optional(static_cast<double>(value.integer))
                                              : std::nullopt;
  }
  /// Returns a text, valid until the next row; empty if the value has another type.
  std::string_view text(int column) const {
    const Value& value = row_[column];
    return value.type == Value::Type::text ? std::string_view(texts_ + value.text_at, value.text_size)
                                           : std::string_view();
  }

 private:
  friend class Database;
  struct Value {
    enum class Type : std::uint8_t { none, integer, number, text };
    union {
      std::int64_t integer = 0;
      double number;
      std::uint64_t text_at;
    };
    std::uint32_t text_size = 0;
    Type type = Type::none;
  };
  struct Rows;
  class Reader;

  bool next_rows();

  std::unique_ptr<Reader> reader_;
  std::string failure_;
  const Value* row_ = nullptr;
  const Value* next_ = nullptr;
  const char* texts_ = nullptr;
  std::size_t left_ = 0;
  std::size_t columns_ = 0;
};

/// Selects rows: those with one of `values` in `column`, or with any value in a column of `or_any`. If
/// `column` is empty, selects all rows. In SQLite, skipping a row takes a third of the time of returning it.
struct RowsWith {
  std::string_view column = {};
  std::vector<std::int64_t> values = {};
  std::vector<std::string_view> or_any = {};
};

class Database {
 public:
  struct TableInfo {
    std::string name;
    std::vector<std::string> columns;
  };

  /// Opens a database. `text` must be the whole file. Fails if it is not a database or its list of tables
  /// cannot be read.
  static Result<Database> open(std::shared_ptr<const TextSource> text, const std::stop_token& stop);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  const std::vector<TableInfo>& tables() const;
  /// Returns the table with this name, or null.
  const TableInfo* find(std::string_view table) const;
  bool has(std::string_view table) const { return find(table) != nullptr; }
  bool has(std::string_view table, std::string_view column) const;
  /// Size of the file, and bytes read so far. Repeated reads count again.
  std::uint64_t size_bytes() const;
  std::uint64_t bytes_read() const;
  /// Reads rows. `table` and `columns` must be names from this program, not from the file. Several tables may
  /// be read at the same time.
  DatabaseRows rows(std::string_view table, std::initializer_list<std::string_view> columns,
                    const RowsWith& with = {}) const;

 private:
  friend class DatabaseRows;
  struct Connection;
  explicit Database(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace kino
