// Table of the late arrivals of a job: rank, lateness, root cause and its kind.
#pragma once

#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kLateTable;

}  // namespace kino
