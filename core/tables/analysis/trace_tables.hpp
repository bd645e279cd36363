// The tables of a trace, by name.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// The only list of them. Those of one heading stand together.
std::span<const TableInfo* const> table_kinds();

/// One of them, named and titled as its kind unless it says otherwise. O(what its computation says).
Table table_of(const TableInfo& kind, const OperatorParts& parts, const TableQuery& query = {},
               const std::stop_token& stop = {});

/// Returns the slices that a row of such a table sums up, see TableKind::instances; nullopt if rows of the
/// table are no such sums.
std::optional<std::vector<SliceId>> row_slices(const TableInfo& kind, const OperatorParts& parts,
                                               const RowQuery& query, const std::stop_token& stop = {});

/// Computes a table of the whole trace, a range or a step. Fails with one sentence for a step that is not
/// there, a name or group it does not know, or a column to sort by that the table has not.
/// A table of what was there when stopped.
Result<Table> compute_table(const RangeAnalyses& analyses, const TableRequest& request,
                            const std::stop_token& stop = {});

/// Of what is asked for: the part of the request's range that lies in the trace, its step, or everything.
/// Fails for an unknown step, and for a range that shares no moment with the trace.
Result<std::shared_ptr<const RangeAnalysis>> requested_analysis(const RangeAnalyses& analyses,
                                                                const TableRequest& request,
                                                                const std::stop_token& stop);
/// The sentence on what of the request's range was left out; empty where nothing was.
Message clipped_note(const Trace& trace, const TableRequest& request);

}  // namespace kino
