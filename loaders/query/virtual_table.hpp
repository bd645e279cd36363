// A SQLite table computed from a model: its interface and its registration.
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

/// State shared by the tables of one connection, with the same lifetime.
struct QueryContext {
  std::vector<std::shared_ptr<const QueryModel>> files;  ///< `file` 1 is the first
  QueryClock* clock = nullptr;
  std::string arguments;                     ///< arguments read last by extract_arg()
  EventNumber arguments_of = kNoEvent;       ///< event they belong to
  const QueryModel* arguments_in = nullptr;  ///< model they belong to; null: none
  std::uint64_t texts_read = 0;              ///< number of events whose arguments were read
  std::string refusal;  ///< why the last statement was refused, if SQLite's own message does not say it
  /// Set before a statement that only adds up the rows of one table. Its cursor clears it, and gives one row
  /// for many.
  const RowSums* sums = nullptr;
  std::int64_t represented_rows = 1;   ///< number of rows that the row being added up represents
  std::set<std::uint32_t> read_files;  ///< numbers of the files that were read, from 1
};

/// Walks rows. SQLite calls column() between begin() and at_end().
class SqlCursor {
 public:
  SqlCursor() = default;
  SqlCursor(const SqlCursor&) = delete;
  SqlCursor& operator=(const SqlCursor&) = delete;
  virtual ~SqlCursor() = default;

  /// Moves to the first row for `plan` and `text`, which best_index() chose, and `values`. Returns false on
  /// failure; see `failure`.
  virtual bool begin(int plan, const char* text, std::span<sqlite3_value* const> values) = 0;
  virtual bool next() = 0;
  virtual bool at_end() const = 0;
  /// Number of remaining rows, if it is known without a walk. They may still be walked.
  virtual std::optional<std::int64_t> rows_left() const { return std::nullopt; }
  /// Number of rows that this row represents, given `sums`.
  virtual std::int64_t rows_here() const { return 1; }
  virtual void column(sqlite3_context* out, int column) = 0;
  virtual std::int64_t row_id() const = 0;

  /// Set before begin(). If not null, rows with the same keys must be merged. Only set for tables that
  /// support it.
  const RowSums* sums = nullptr;
  std::string failure;  ///< one sentence; empty: the query's clock has run out
};

/// A cursor whose rows have indices.
class IndexedCursor : public SqlCursor {
 public:
  bool next() override {
    ++at_;
    return true;
  }
  std::int64_t row_id() const override { return static_cast<std::int64_t>(at_); }

 protected:
  std::size_t at_ = 0;  // index of the current row; begin() resets it
};

class SqlTable {
 public:
  SqlTable() = default;
  SqlTable(const SqlTable&) = delete;
  SqlTable& operator=(const SqlTable&) = delete;
  virtual ~SqlTable() = default;

  /// Returns the columns as in CREATE TABLE. `file` and `rank`, both hidden, are added to every table; a
  /// column `rank` of the table replaces the latter.
  virtual std::string columns() const = 0;
  virtual int column_count() const = 0;
  /// Like xBestIndex. Arguments are numbered from 1. Returns false if a required argument is missing.
  virtual bool best_index(sqlite3_index_info& info) const = 0;
  /// Returns how many rows a search gives with the plan that best_index() chose, for warnings. SQLite's own
  /// estimate must be cheap; this one may compute data that the query needs anyway.
  virtual std::int64_t rows_of_plan(const sqlite3_index_info& info) const { return info.estimatedRows; }
  virtual std::unique_ptr<SqlCursor> open(const QueryModel& model, std::uint32_t file) const = 0;
  /// Whether rows belong to one file. A query that uses `rank` then gets the rows of all files or of one
  /// rank, and other queries those of `file`, by default 1.
  virtual bool of_one_file() const { return true; }
};

/// Registers `table` under this name. `context` outlives the connection. Returns SQLite's result code.
int register_table(sqlite3* database, const char* name, std::unique_ptr<SqlTable> table,
                   QueryContext& context);

/// Makes the table of CREATE VIRTUAL TABLE .. USING module(arguments), or returns an error.
using TableMaker = std::function<Result<std::unique_ptr<SqlTable>>(
    sqlite3* database, std::span<const std::string_view> arguments)>;
/// Registers `maker` as the module of this name, like register_table().
int register_maker(sqlite3* database, const char* name, TableMaker maker, QueryContext& context);

// ---- Helpers for tables

/// Returns the context that a function was registered with.
inline QueryContext& context_of(sqlite3_context* out) {
  return *static_cast<QueryContext*>(sqlite3_user_data(out));
}

/// Returns the event whose id is the value, or kNoEvent.
EventNumber event_with_id(const QueryModel& model, sqlite3_value* value);

/// For SqlTable::best_index(): if a usable constraint requires `column` to equal a value, passes the value to
/// begin() in plan 1 and sets the estimates. Returns whether there is one. `exact`: SQLite need not check it.
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
/// Gives an integer if the text is one, else the text.
void give_number_or_text(sqlite3_context* out, std::string_view text);

inline std::string_view text_of(sqlite3_value* value) {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? std::string_view()
                         : std::string_view(text, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

}  // namespace kino
