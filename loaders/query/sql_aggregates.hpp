// Aggregate functions that SQLite lacks: percentile, median, stddev, string_agg.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers the functions. The function percentile(x, p) interpolates between neighbors, with p from 0 to
/// 100. The function median(x) is percentile(x, 50), stddev(x) is the sample standard deviation, and
/// string_agg(x, separator) is group_concat. Stored values count towards the memory of the query. Returns
/// SQLite's result code.
int register_aggregates(sqlite3* database, QueryContext& context);
bool aggregate_known(std::string_view name);

}  // namespace kino
