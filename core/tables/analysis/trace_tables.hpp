// List of the tables of a trace, and their computation for a range or step.
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

/// Returns all tables of a trace. Tables with the same heading are adjacent.
std::span<const TableInfo* const> table_kinds();

/// Computes a table of table_kinds(). It gets the name of `kind`, and the title of `kind` unless the
/// computation sets one. Tables with idle times of GPUs get notes on their accuracy.
Table table_of(const TableInfo& kind, const OperatorParts& parts, const TableQuery& query = {},
               const std::stop_token& stop = {});

/// Returns the slices that a row sums up, see TableKind::instances. Returns nullopt if rows are not sums of
/// slices, or if `kind` is not a table of a trace.
std::optional<std::vector<SliceId>> row_slices(const TableInfo& kind, const OperatorParts& parts,
                                               const RowQuery& query, const std::stop_token& stop = {});

/// Computes a table of the whole trace, a range or a step. Fails with a one-sentence message if the table,
/// group, step or stream is unknown. Also fails if a stream is requested of a table that does not support
/// streams, or if the range is outside of the trace.
Result<Table> compute_table(const RangeAnalyses& analyses, const TableRequest& request,
                            const std::stop_token& stop = {});

/// Returns the analysis of the requested range, clipped to the trace. If there is no range, returns the
/// analysis of the requested step; if there is neither, of the whole trace. Fails if the step is unknown or
/// the range is outside of the trace.
Result<std::shared_ptr<const RangeAnalysis>> requested_analysis(const RangeAnalyses& analyses,
                                                                const TableRequest& request,
                                                                const std::stop_token& stop);
/// Returns a sentence on the part of the requested range that is inside the trace. Empty if the whole range
/// is inside, or if no range was requested.
Message clipped_note(const Trace& trace, const TableRequest& request);

}  // namespace kino
