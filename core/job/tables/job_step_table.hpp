// Table of the steps of a job: one row per step, or one per step and rank.
#pragma once

#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kJobStepTable;

}  // namespace kino
