// Runs SQL on traces. Each query has a new connection, whose tables are the models and which cannot read
// anything else.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"
#include "loaders/query/model/query_model.hpp"
#include "loaders/query/query_clock.hpp"

namespace kino {

/// NULL, an integer, a number or a text; a blob is given as text. Views are valid until the next row.
using QueryValue = std::variant<std::monostate, std::int64_t, double, std::string_view>;

/// Receives a result.
class QueryRows {
 public:
  QueryRows() = default;
  QueryRows(const QueryRows&) = delete;
  QueryRows& operator=(const QueryRows&) = delete;
  virtual ~QueryRows() = default;
  /// Called with the names of the columns before the first row; not called if no statement returns rows.
  virtual void columns(std::span<const std::string> names) = 0;
  virtual void row(std::span<const QueryValue> values) = 0;
  /// While the query runs, reports why it is slow and how to change it. Called only after much work, so fast
  /// queries cause no warning. Each reason is reported once.
  virtual void slow(const Message& /*sentence*/) {}
};

struct QueryEnd {
  std::uint64_t rows = 0;
  bool more = false;              ///< the result has more rows than the limit
  std::set<std::uint32_t> files;  ///< numbers of the files that were read, counted from 1
};

/// Runs the statements of `sql` in order, and passes the result of the last statement that returns rows to
/// `out`. The syntax is SQLite's with Perfetto's additions (README.md). Writes, and reads of anything but
/// `files`, are refused. Errors have the offset in `sql` if it is known; `out` may already have received
/// rows. Thread-safe.
Result<QueryEnd> run_query(std::span<const std::shared_ptr<const QueryModel>> files, std::string_view sql,
                           const QueryLimits& limits, QueryRows& out, const std::stop_token& stop);

/// If only some of several files were read, returns a sentence that names or counts them and explains how to
/// query the others; otherwise an empty string. Example: "The rows are of file 1 (a.json) only; 2 files are
/// open. ..."
std::string partial_files_sentence(std::span<const std::shared_ptr<const QueryModel>> files,
                                   const QueryEnd& end);

/// The name of a table available in SQL, and its columns.
struct SqlTableName {
  std::string name;
  std::vector<std::string> columns;
};
/// Returns all tables except views and joins, sorted by name. Takes a few ms.
std::vector<SqlTableName> query_tables();

}  // namespace kino
