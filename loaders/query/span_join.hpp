// SPAN_JOIN, SPAN_LEFT_JOIN, SPAN_OUTER_JOIN and interval_intersect: joins by overlap in time, per partition.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers the joins. CREATE VIRTUAL TABLE x USING SPAN_JOIN(a PARTITIONED k, b PARTITIONED k) has the
/// columns ts, dur, k and those of both tables. Spans of one table and partition must not overlap: an error
/// reports the first two that do. A span of length 0 within a span of the other table gives a row of length
/// 0. interval_intersect(a, b, .., PARTITIONED k, ..) has ts, dur, id_0, id_1, .. and the keys. Returns
/// SQLite's result code.
int register_span_joins(sqlite3* database, QueryContext& context);

}  // namespace kino
