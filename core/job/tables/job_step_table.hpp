// The steps of a job as a table: a row a step, or a row a step and rank.
#pragma once

#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kJobStepTable;

}  // namespace kino
