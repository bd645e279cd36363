// The rows of a query as a table of the program.
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

/// The only table of the page; it is computed by sql_table().
extern const TableInfo kSqlTable;

/// Rows that a page shows; who wants more asks the command line.
inline constexpr std::uint64_t kMostSqlRows = 100'000;

/// Runs the SQL on one trace. A column is of whole numbers, of numbers or of texts, as all of its values are;
/// whole numbers called dur, or that end in _ns or bytes, have a unit. A row with slice_id, or with id and
/// ts of a slice, leads to that slice, one with ts and dur to that stretch of time. Fails with what is wrong
/// with the SQL. `slow` gets sentences as QueryRows::slow(). Any thread.
Result<Table> sql_table(const std::shared_ptr<const QueryModel>& model, const std::string& sql,
                        const std::function<void(const Message&)>& slow, const std::stop_token& stop);

}  // namespace kino
