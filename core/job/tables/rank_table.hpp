// A row a rank: where its time went, what it waited, and what the others waited for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kRankTable;

/// Whether the number is a GPU time, or an end of its interval, that shows no difference between the ranks.
bool is_unclaimed(const Table& table, std::size_t column, std::uint32_t row);

}  // namespace kino
