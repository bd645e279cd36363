// A row a rank: how its clock runs against those of the others, and how sure that is.
#pragma once

#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kClockTable;

}  // namespace kino
