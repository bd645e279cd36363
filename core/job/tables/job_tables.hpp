// What the tables of a job are computed from, and which there are: its ranks, its collectives, its clocks.
#pragma once

#include <span>
#include <string>

#include "core/base/result.hpp"
#include "core/job/job_analysis.hpp"
#include "core/tables/table_kind.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// A job whose tables are asked for.
struct JobScope {
  const JobAnalysis& analysis;
  std::span<const std::string> files;  ///< names of the recordings, by index of the ranks
};

/// The only list of them. RowLink::recording() is the index of a rank; a row of a collective leads to the
/// slice of the rank that came last.
std::span<const TableInfo* const> job_table_kinds();

/// Returns one of job_table_kinds() for the whole scope.
Table job_table(const TableInfo& kind, const JobScope& scope, const TableQuery& query,
                const std::stop_token& stop = {});

/// TableRequest::range is in ns since the job's begin by the common clock (job_in_range()).
/// Fails with a sentence for a table or group that it does not know, and for what is not asked of a job.
Result<Table> job_table(const JobScope& scope, const TableRequest& request, const std::stop_token& stop = {});

}  // namespace kino
