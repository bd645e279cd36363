// The tables `critical-path` and `what-if` of a trace or job.
#pragma once

#include <span>
#include <stop_token>
#include <string>

#include "core/base/result.hpp"
#include "core/critical/activity_graph.hpp"
#include "core/tables/table_kind.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

class RangeParts;

extern const TableKind<RangeParts> kCriticalPathTable;
/// Contains the usual forecasts. Has no rows if too little of the path is explained.
extern const TableKind<RangeParts> kWhatIfTraceTable;

/// Computes the table `what-if` with settings that apply together; without settings, with the usual
/// forecasts. Fails if a setting is unknown. Unless `force`, also fails (Error::Kind::unexplained) if less
/// than CriticalPath::kLeastExplained of the path is explained.
Result<Table> what_if_trace_table(const RangeParts& parts, std::span<const std::string> settings, bool force,
                                  const std::stop_token& stop = {});

extern const TableInfo kJobPathTable;
extern const TableInfo kJobWhatIfTable;
/// Returns the tables of a job that need the traces of its ranks, not only their digests.
/// RowLink::recording() is the index of a rank.
std::span<const TableInfo* const> job_trace_table_kinds();
/// Computes the requested table. TableRequest::range is in ns since the job's start on the common clock.
/// Fails for unknown tables and groups, for members of the request that these tables do not support, and like
/// what_if_trace_table().
Result<Table> job_trace_table(const TracedJob& job, const TableRequest& request,
                              const std::stop_token& stop = {});

}  // namespace kino
