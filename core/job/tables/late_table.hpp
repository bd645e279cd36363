// The late arrivals of a job as a table: who, by how much, where it came from and what it was.
#pragma once

#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kLateTable;

}  // namespace kino
