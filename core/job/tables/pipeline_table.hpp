// Pipelines of a job: of each stage or step how much was bubble, beside what the schedule cannot go below.
#pragma once

#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kPipelineTable;

}  // namespace kino
