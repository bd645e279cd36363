// Table of the collectives of a job: waiting, transfer, bandwidth, and the last rank.
#pragma once

#include "core/job/tables/collective_call.hpp"
#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kInstanceTable;

}  // namespace kino
