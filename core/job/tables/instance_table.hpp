// The collectives of a job, each over all of its ranks: waiting, transfer, bandwidth, and who came last.
#pragma once

#include "core/job/tables/collective_call.hpp"
#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kInstanceTable;

}  // namespace kino
