// Scope and list of the tables of a job.
#pragma once

#include <span>
#include <string>

#include "core/base/result.hpp"
#include "core/job/job_analysis.hpp"
#include "core/tables/table_kind.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// Job for which tables are computed.
struct JobScope {
  const JobAnalysis& analysis;
  std::span<const std::string> files;  ///< names of the recordings, by index of the ranks
};

extern const TableKind<JobScope> kLateTable;       ///< late arrivals: rank, lateness, root cause and its kind
extern const TableKind<JobScope> kInstanceTable;   ///< collectives: waiting, transfer, bandwidth, last rank
extern const TableKind<JobScope> kJobStepTable;    ///< one row per step, or per step and rank
extern const TableKind<JobScope> kMessageTable;    ///< messages, one row per pair of ranks
extern const TableKind<JobScope> kPipelineTable;   ///< bubble per stage or step
extern const TableKind<JobScope> kJobLedgerTable;  ///< steps by rank and cause
extern const TableKind<JobScope> kJobLayerTable;   ///< repeated layers over the ranks
extern const TableKind<JobScope> kClockTable;      ///< offset of each rank's clock with its error, and drift

/// Returns all tables of a job. RowLink::recording() is the index of a rank. A row of a collective links to
/// the slice of the rank that arrived last.
std::span<const TableInfo* const> job_table_kinds();

/// Computes one of job_table_kinds() for the whole scope.
Table job_table(const TableInfo& kind, const JobScope& scope, const TableQuery& query,
                const std::stop_token& stop = {});

/// Computes the requested table. TableRequest::range is in ns since the job's start on the common clock
/// (job_in_range()). Fails for unknown tables and groups, and for members of the request that jobs do not
/// support.
Result<Table> job_table(const JobScope& scope, const TableRequest& request, const std::stop_token& stop = {});

}  // namespace kino
