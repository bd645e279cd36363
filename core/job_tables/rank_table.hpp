// A row a rank: where its time went, what it waited, and what the others waited for it.
#pragma once

#include "core/job_tables/job_tables.hpp"

namespace kino {

extern const TableKind kRankTable;

}  // namespace kino
