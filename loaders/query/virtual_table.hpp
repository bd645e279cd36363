// A table of SQLite that is computed from a model: what a table has to say of itself, and its registration.
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

/// What the tables of one connection share; lives as long as it.
struct QueryContext {
  std::vector<std::shared_ptr<const QueryModel>> files;  ///< `file` 1 is the first
  QueryClock* clock = nullptr;
  std::string arguments;                     ///< extract_arg()'s: of the event
  EventNumber arguments_of = kNoEvent;       ///< of the model
  const QueryModel* arguments_in = nullptr;  ///< null: of none
  std::uint64_t texts_read = 0;              ///< arguments of an event that were looked up
  std::string refusal;  ///< why the last statement was refused, when SQLite's own words do not say
  /// Set before a statement that only adds up the rows of one table, whose cursor clears it and gives one row
  /// for many.
  const RowSums* sums = nullptr;
  std::int64_t rows_of_row = 1;        ///< for how many rows the one stands that SQLite adds up
  std::set<std::uint32_t> read_files;  ///< numbers of the files whose rows were asked for, from 1
};

/// Walks rows. SQLite asks column() for rows between begin() and at_end().
class SqlCursor {
 public:
  SqlCursor() = default;
  SqlCursor(const SqlCursor&) = delete;
  SqlCursor& operator=(const SqlCursor&) = delete;
  virtual ~SqlCursor() = default;

  /// Goes to the first row of what `plan` and `text`, which best_index() chose, and the values say. False
  /// when it cannot: see failure.
  virtual bool begin(int plan, const char* text, std::span<sqlite3_value* const> values) = 0;
  virtual bool next() = 0;
  virtual bool at_end() const = 0;
  /// How many rows there are from here on, where that is known without a walk. They may be walked after.
  virtual std::optional<std::int64_t> rows_left() const { return std::nullopt; }
  /// For how many rows this one stands, by `sums`.
  virtual std::int64_t rows_here() const { return 1; }
  virtual void column(sqlite3_context* out, int column) = 0;
  virtual std::int64_t row_id() const = 0;

  /// Set before begin(). When not null, rows with the same keys are to be one, which is asked only of those
  /// that can.
  const RowSums* sums = nullptr;
  std::string failure;  ///< one sentence; empty: the query's clock has run out
};

class SqlTable {
 public:
  SqlTable() = default;
  SqlTable(const SqlTable&) = delete;
  SqlTable& operator=(const SqlTable&) = delete;
  virtual ~SqlTable() = default;

  /// The columns as in CREATE TABLE, without the hidden `file` and `rank`, which every table has behind them;
  /// a column of its own that is called `rank` stands for the latter.
  virtual std::string columns() const = 0;
  /// How many there are.
  virtual int column_count() const = 0;
  /// As xBestIndex. Arguments get numbers from 1 on. False: no plan without an argument that is not there.
  virtual bool best_index(sqlite3_index_info& info) const = 0;
  /// How many rows a search gives by the plan that best_index() left, as a person is told; SQLite's own
  /// estimate must be cheap, this one may compute what the query needs anyway.
  virtual std::int64_t rows_of_plan(const sqlite3_index_info& info) const { return info.estimatedRows; }
  virtual std::unique_ptr<SqlCursor> open(const QueryModel& model, std::uint32_t file) const = 0;
  /// Whether its rows are those of one file. Then a query that uses `rank` gets those of all files, or of
  /// those of a rank, and any other one gets those of `file`, which is 1 when it says none.
  virtual bool of_one_file() const { return true; }
};

/// Makes `table` known by this name. `context` outlives the connection. SQLite's result code.
int register_table(sqlite3* database, const char* name, std::unique_ptr<SqlTable> table,
                   QueryContext& context);

/// Makes the table of CREATE VIRTUAL TABLE .. USING module(arguments), or says in one sentence why not.
using TableMaker = std::function<Result<std::unique_ptr<SqlTable>>(
    sqlite3* database, std::span<const std::string_view> arguments)>;
/// Makes `maker` known as the module of this name. As register_table().
int register_maker(sqlite3* database, const char* name, TableMaker maker, QueryContext& context);

// ---- Small tools of tables

/// Of a function that was registered with it.
inline QueryContext& context_of(sqlite3_context* out) {
  return *static_cast<QueryContext*>(sqlite3_user_data(out));
}

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
/// A statement of SQLite that is finalized in the end.
using SqlStatement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

inline void give_text(sqlite3_context* out, std::string_view text) {
  sqlite3_result_text64(out, text.data() != nullptr ? text.data() : "", text.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
}
inline void give_copy(sqlite3_context* out, std::string_view text) {
  sqlite3_result_text64(out, text.data() != nullptr ? text.data() : "", text.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
}
/// An integer when it is written as one, else the text.
void give_number_or_text(sqlite3_context* out, std::string_view text);

inline std::string_view text_of(sqlite3_value* value) {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? std::string_view()
                         : std::string_view(text, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

}  // namespace kino
