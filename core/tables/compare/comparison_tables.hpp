// What two compared runs differ in, as tables: by name, by cause, kernels that took the place of others, and
// what was checked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/tables/compare/rank_comparison.hpp"
#include "core/tables/compare/run_comparison.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

extern const TableInfo kChangeTable;
extern const TableInfo kCauseTable;
extern const TableInfo kReplacedTable;
extern const TableInfo kCheckTable;
extern const TableInfo kRankChangeTable;  ///< of two jobs

/// All of them, the last of two jobs only. They are computed by comparison_table() and rank_change_table().
std::span<const TableInfo* const> comparison_table_kinds(bool of_jobs);

/// Indices into RunComparison::rows, of one cause or of all. O(rows).
std::vector<std::uint32_t> rows_of_cause(const RunComparison& it, std::optional<LedgerCause> cause);

/// A row of the change table is one of rows_of_cause(). O(rows).
Table comparison_table(const RunComparison& it, const TableInfo& kind, std::optional<LedgerCause> cause = {});

/// A row a rank, in their order. O(ranks).
Table rank_change_table(std::span<const RankComparison> ranks);

/// Of which rows of the change table tell each step; of more, the table has no column "steps".
inline constexpr std::size_t kMostTold = 24;

/// A change x nA x nB as ns of a mean step.
double mean_change(const RunComparison& it, std::int64_t change);

}  // namespace kino
