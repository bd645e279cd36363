// A recording that is an SQLite database, read table by table: nothing in it is ever executed.
//
// Only tables that hold their rows themselves are read: views may hold any SQL, and virtual tables any
// module, so there are none here. Columns are asked for by name; one that is not there has no value, a table
// that is not there has no row.
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

/// The rows of a table in the order in which it holds them. Of more than some hundred rows the next ones are
/// read meanwhile, on a thread of its own. Its database outlives it. Used by one thread.
class DatabaseRows {
 public:
  DatabaseRows();
  DatabaseRows(DatabaseRows&& other) noexcept;
  DatabaseRows& operator=(DatabaseRows&& other) noexcept;
  ~DatabaseRows();

  /// False at the end, after a stop request, and where the table cannot be read any further: failure() then
  /// says why.
  bool next() {
    if (left_ == 0 && !next_rows()) return false;
    --left_;
    row_ = std::exchange(next_, next_ + columns_);
    return true;
  }
  std::string_view failure() const { return failure_; }

  /// Of the row and the column asked for at this place. A value of another type is none.
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
  /// Until the next row; empty for what is no text.
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

/// Which rows are asked for: those that have one of the values in the column, or any value in one of the
/// others; all without a column. SQLite leaves out the rest at a third of what it takes to hand on a row.
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

  /// `text` is all of the file. Fails when it is no database or its list of tables cannot be read.
  static Result<Database> open(std::shared_ptr<const TextSource> text, const std::stop_token& stop);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  const std::vector<TableInfo>& tables() const;
  /// The one of this name, or null.
  const TableInfo* find(std::string_view table) const;
  bool has(std::string_view table) const { return find(table) != nullptr; }
  bool has(std::string_view table, std::string_view column) const;
  /// Bytes of the file, and how many of them were read so far; what is read again counts again.
  std::uint64_t size_bytes() const;
  std::uint64_t bytes_read() const;
  /// Names of this program, not of the file. Rows of several tables may be read at a time.
  DatabaseRows rows(std::string_view table, std::initializer_list<std::string_view> columns,
                    const RowsWith& with = {}) const;

 private:
  friend class DatabaseRows;
  struct Connection;
  explicit Database(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace kino
