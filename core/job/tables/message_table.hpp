// Messages from rank to rank as a table: a row a pair, what it sends, how fast, and who waits for whom.
#pragma once

#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kMessageTable;

}  // namespace kino
