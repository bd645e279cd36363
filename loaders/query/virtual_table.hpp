// SQL tables that are computed from a model: their interface and registration.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "core/base/result.hpp"
#include "loaders/query/model/query_model.hpp"
#include "loaders/query/query_clock.hpp"
#include "loaders/query/sql_text/row_sums.hpp"

namespace kino {

/// State that the tables of one connection share. It lives as long as the connection.
struct QueryContext {
  std::vector<std::shared_ptr<const QueryModel>> files;  ///< the column `file` is the index + 1
  QueryClock* clock = nullptr;
  std::string arguments;                     ///< arguments that extract_arg() read last
  EventNumber arguments_of = kNoEvent;       ///< event of `arguments`
  const QueryModel* arguments_in = nullptr;  ///< model of `arguments`; null: nothing was read
  std::uint64_t texts_read = 0;              ///< number of events whose arguments were read
  std::string refusal;  ///< reason for the first refusal in the current statement; empty: none
  /// Set before a statement that only sums up the rows of one table. The table's cursor clears it, and then
  /// returns one row for many.
  const RowSums* sums = nullptr;
  std::int64_t represented_rows = 1;   ///< number of rows that the current row represents
  std::set<std::uint32_t> read_files;  ///< numbers of the files that were read, counted from 1
};

/// Iterates over rows. SQLite calls next(), column() and row_id() only while at_end() is false.
class SqlCursor {
 public:
  SqlCursor() = default;
  SqlCursor(const SqlCursor&) = delete;
  SqlCursor& operator=(const SqlCursor&) = delete;
  virtual ~SqlCursor() = default;

  /// Moves to the first row for `plan` and `text`, which best_index() chose, and `values`. Returns false on
  /// failure; `failure` contains the reason.
  virtual bool begin(int plan, const char* text, std::span<sqlite3_value* const> values) = 0;
  virtual bool next() = 0;
  virtual bool at_end() const = 0;
  /// Returns the number of remaining rows, if it is known without iterating. Iterating remains possible.
  virtual std::optional<std::int64_t> rows_left() const { return std::nullopt; }
  /// Returns the number of rows that this row represents, given `sums`.
  virtual std::int64_t rows_here() const { return 1; }
  virtual void column(sqlite3_context* out, int column) = 0;
  virtual std::int64_t row_id() const = 0;

  /// Set before begin(), and only for tables that support it. If not null, rows with equal keys must be
  /// merged.
  const RowSums* sums = nullptr;
  std::string failure;  ///< one sentence; empty: the clock has run out
};

/// A cursor over rows with consecutive indices.
class IndexedCursor : public SqlCursor {
 public:
  bool next() override {
    ++row_index;
    return true;
  }
  std::int64_t row_id() const override { return static_cast<std::int64_t>(row_index); }

 protected:
  std::size_t row_index = 0;  // index of the current row; begin() resets it
};

class SqlTable {
 public:
  SqlTable() = default;
  SqlTable(const SqlTable&) = delete;
  SqlTable& operator=(const SqlTable&) = delete;
  virtual ~SqlTable() = default;

  /// Returns the columns as in CREATE TABLE. The hidden column `file` is added to every table. If
  /// of_one_file(), a hidden column `rank` is also added, unless the table itself has a column `rank`.
  virtual std::string columns() const = 0;
  virtual int column_count() const = 0;
  /// Chooses a plan, like xBestIndex. Arguments are numbered from 1. Returns false if a required argument is
  /// missing.
  virtual bool best_index(sqlite3_index_info& info) const = 0;
  /// Returns the number of rows per search with the plan that best_index() chose, for warnings. Unlike
  /// SQLite's estimate, which must be cheap, this function may compute data that the query needs anyway.
  virtual std::int64_t rows_of_plan(const sqlite3_index_info& info) const { return info.estimatedRows; }
  virtual std::unique_ptr<SqlCursor> open(const QueryModel& model, std::uint32_t file) const = 0;
  /// Returns whether each row belongs to one file. If so, a query that uses `rank` gets the rows of all files
  /// or of one rank. Other queries get the rows of `file`, by default 1.
  virtual bool of_one_file() const { return true; }
};

/// Registers `table` under this name. `context` must outlive the connection. Returns SQLite's result code.
int register_table(sqlite3* database, const char* name, std::unique_ptr<SqlTable> table,
                   QueryContext& context);

/// Creates the table for CREATE VIRTUAL TABLE .. USING module(arguments), or returns an error.
using TableMaker = std::function<Result<std::unique_ptr<SqlTable>>(
    sqlite3* database, std::span<const std::string_view> arguments)>;
/// Registers `maker` as a module with this name, like register_table().
int register_maker(sqlite3* database, const char* name, TableMaker maker, QueryContext& context);

// ---- Helpers for tables

/// Returns the context with which a function was registered.
inline QueryContext& context_of(sqlite3_context* out) {
  return *static_cast<QueryContext*>(sqlite3_user_data(out));
}

/// Returns the event whose id is `value`, or kNoEvent.
EventNumber event_with_id(const QueryModel& model, sqlite3_value* value);

/// For use in SqlTable::best_index(). If a usable constraint requires `column` to equal a value, passes the
/// value to begin() in plan 1, sets the estimates and returns true. If `exact`, SQLite need not check the
/// constraint again.
bool plan_search(sqlite3_index_info& info, int column, std::int64_t rows, double cost, bool exact = false);

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
/// A statement that is finalized on destruction.
using SqlStatement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

inline void give_text(sqlite3_context* out, std::string_view text) {
  sqlite3_result_text64(out, text.data() != nullptr ? text.data() : "", text.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
}
inline void give_copy(sqlite3_context* out, std::string_view text) {
  sqlite3_result_text64(out, text.data() != nullptr ? text.data() : "", text.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
}
/// Returns the text to SQLite, as an integer if it is one.
void give_number_or_text(sqlite3_context* out, std::string_view text);

inline std::string_view text_of(sqlite3_value* value) {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? std::string_view()
                         : std::string_view(text, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

}  // namespace kino
