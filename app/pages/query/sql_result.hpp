// The rows of a query as a table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"
#include "core/tables/table_kind.hpp"
#include "loaders/query/model/query_model.hpp"

namespace kino {

/// The only table of the SQL page, computed by sql_table().
extern const TableInfo kSqlTable;

/// Limit on the rows of the SQL page. The command line can return more rows.
inline constexpr std::uint64_t kMostSqlRows = 100'000;

/// Runs the SQL on one trace, and returns the first kMostSqlRows rows, or an error of the query. A column
/// contains integers, numbers or texts, whichever can represent all of its values. A column has a unit if its
/// name contains the word dur or bytes, or ends in _ns. A row with `slice_id`, or with `id` and `ts` of a
/// slice, links to that slice. Another row with `ts` and `dur` links to that interval. `slow` receives the
/// sentences of QueryRows::slow(), on the calling thread. Thread-safe.
Result<Table> sql_table(const std::shared_ptr<const QueryModel>& model, const std::string& sql,
                        const std::function<void(const Message&)>& slow, const std::stop_token& stop);

}  // namespace kino
