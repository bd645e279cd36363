// Aggregates that SQLite lacks: percentile, median, stddev, string_agg.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// percentile(x, p) interpolates between neighbors, p from 0 to 100. median(x) is percentile(x, 50),
/// stddev(x) that of a sample, string_agg(x, separator) is group_concat. Stored values count as memory of the
/// query.
int register_aggregates(sqlite3* database, QueryContext& context);
bool aggregate_known(std::string_view name);

}  // namespace kino
