// Answers SQL about traces: a fresh connection a query, whose tables are the models, and which can read
// nothing else.
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

/// NULL, a whole number, a number, a text; bytes are given as text. Views hold until the next row.
using QueryValue = std::variant<std::monostate, std::int64_t, double, std::string_view>;

/// Gets a result.
class QueryRows {
 public:
  QueryRows() = default;
  QueryRows(const QueryRows&) = delete;
  QueryRows& operator=(const QueryRows&) = delete;
  virtual ~QueryRows() = default;
  /// Once, before the first row.
  virtual void columns(std::span<const std::string> names) = 0;
  virtual void row(std::span<const QueryValue> values) = 0;
  /// Why the query takes long and what to do about it, a sentence. While it runs, and only once it has done
  /// much work: so that what is fast anyway is never warned of. A reason is told once.
  virtual void slow(const Message& /*sentence*/) {}
};

struct QueryEnd {
  std::uint64_t rows = 0;
  bool more = false;              ///< there were more rows than the limit
  std::set<std::uint32_t> files;  ///< numbers of the files whose rows were asked for, from 1
};

/// Runs the statements of `sql` in order and hands the result of the last that has one to `out`. Statements
/// are SQLite's with Perfetto's additions (README.md); what would write, or read anything else than `files`,
/// is refused. An Error is one sentence, with the place in `sql` where one is known; then rows may have been
/// handed out. Any thread; several at once.
Result<QueryEnd> run_query(std::span<const std::shared_ptr<const QueryModel>> files, std::string_view sql,
                           const QueryLimits& limits, QueryRows& out, const std::stop_token& stop);

/// The sentence on which of several files were asked, and how to ask the others; empty if all of them were,
/// or there is one. "The rows are of file 1 of 2 (a.json). ..."
std::string partly_asked(std::span<const std::shared_ptr<const QueryModel>> files, const QueryEnd& end);

/// A table that SQL may name, and its columns.
struct SqlTableName {
  std::string name;
  std::vector<std::string> columns;
};
/// All of them, by name. Some ms.
std::vector<SqlTableName> query_tables();

}  // namespace kino
