// Table with one row per rank: GPU time by kind, waiting, and delay caused to others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/job/tables/job_tables.hpp"

namespace kino {

extern const TableKind<JobScope> kRankTable;

/// Returns whether the cell is a GPU index, or an end of its interval, that shows no difference between
/// ranks.
bool is_unattributed(const Table& table, std::size_t column, std::uint32_t row);

}  // namespace kino
