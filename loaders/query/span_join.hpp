// SPAN_JOIN, SPAN_LEFT_JOIN, SPAN_OUTER_JOIN and interval_intersect: what overlaps in time, in each
// partition.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// CREATE VIRTUAL TABLE x USING SPAN_JOIN(a PARTITIONED k, b PARTITIONED k): columns ts, dur, k and those of
/// both. Spans of a partition must not overlap: an error names the first two that do. A span of no length
/// inside another gives a row of no length. interval_intersect(a, b, .., PARTITIONED k, ..): ts, dur, id_0,
/// id_1, .. and the keys. SQLite's result code.
int register_span_joins(sqlite3* database, QueryContext& context);

}  // namespace kino
