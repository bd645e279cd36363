// The collectives of a job, each over all of its ranks: waiting, transfer, bandwidth, and who came last.
#pragma once

#include "core/job_sums/collective_call.hpp"
#include "core/job_tables/job_tables.hpp"

namespace kino {

extern const TableKind kInstanceTable;

}  // namespace kino
