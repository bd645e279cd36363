// Table of pipelines: bubble per stage or step, compared with the bubble of an even 1F1B schedule.
#pragma once

#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kPipelineTable;

}  // namespace kino
