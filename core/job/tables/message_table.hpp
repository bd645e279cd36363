// Table of messages with one row per pair of ranks: size, bandwidth, and waiting on both sides.
#pragma once

#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kMessageTable;

}  // namespace kino
