// The table `replays`: graph launches with the captures that their work was joined with, or the costs of this
// work by operator or module.
#pragma once

#include "core/tables/capture/capture_join.hpp"
#include "core/tables/capture/graph_captures.hpp"
#include "core/tables/capture/joined_costs.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

class RangeParts;

extern const TableKind<RangeParts> kReplayTable;

/// Returns one row per graph launch that starts in `range`. `join` is the join of the whole trace with
/// `captures`, so that rows do not depend on the range.
Table replay_table(const Trace& trace, const GraphCaptures& captures, const CaptureJoin& join,
                   TimeRange range);

/// Returns one row per operator and shapes, or per module, of the replays that are launched in `range`.
Table joined_cost_table(const Trace& trace, const GraphCaptures& captures, const CaptureJoin& join,
                        TimeRange range, JoinedGrouping grouping);

/// Returns "exact", "aligned", "by occurrence", "by order" or "none".
msg::Id title_of(JoinLevel level);

}  // namespace kino
