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

/// Runs the SQL on one trace. A column is one of integers, numbers or texts, depending on all of its values.
/// Integers named dur, or with a name ending in _ns or bytes, have a unit. A row with slice_id, or with id
/// and ts of a slice, links to that slice; a row with ts and dur links to that interval. Errors in the SQL
/// are returned. `slow` receives sentences as QueryRows::slow(). Any thread.
Result<Table> sql_table(const std::shared_ptr<const QueryModel>& model, const std::string& sql,
                        const std::function<void(const Message&)>& slow, const std::stop_token& stop);

}  // namespace kino
