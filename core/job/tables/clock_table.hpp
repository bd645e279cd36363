// Table of clocks with one row per rank: offset and drift against the common clock, and their error.
#pragma once

#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kClockTable;

}  // namespace kino
