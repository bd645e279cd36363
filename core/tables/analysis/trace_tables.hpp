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

/// The only list of trace tables. Tables with the same heading are adjacent.
std::span<const TableInfo* const> table_kinds();

/// Computes a table. It gets the name and title of `kind` unless the computation sets them.
Table table_of(const TableInfo& kind, const OperatorParts& parts, const TableQuery& query = {},
               const std::stop_token& stop = {});

/// Returns the slices that a row sums up, see TableKind::instances. nullopt if rows are not sums of slices.
std::optional<std::vector<SliceId>> row_slices(const TableInfo& kind, const OperatorParts& parts,
                                               const RowQuery& query, const std::stop_token& stop = {});

/// Computes a table of the whole trace, a range or a step. Fails with a one-sentence message if the step,
/// table, group or a sort column is unknown.
Result<Table> compute_table(const RangeAnalyses& analyses, const TableRequest& request,
                            const std::stop_token& stop = {});

/// Returns the analysis for the request: of the part of its range that is in the trace, of its step, or of
/// the whole trace. Fails if the step is unknown or the range is outside of the trace.
Result<std::shared_ptr<const RangeAnalysis>> requested_analysis(const RangeAnalyses& analyses,
                                                                const TableRequest& request,
                                                                const std::stop_token& stop);
/// Returns a sentence on the part of the requested range that is outside of the trace; empty if there is
/// none.
Message clipped_note(const Trace& trace, const TableRequest& request);

}  // namespace kino
