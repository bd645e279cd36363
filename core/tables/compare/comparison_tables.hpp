// Tables of the differences of two runs: by name, by cause, replaced kernels, and the checks.
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
extern const TableInfo kRankChangeTable;  ///< for two jobs

/// All comparison tables; the last one only for two jobs. Computed by comparison_table() and
/// rank_change_table().
std::span<const TableInfo* const> comparison_table_kinds(bool of_jobs);

/// Indices into RunComparison::rows, for one cause or all. O(rows).
std::vector<std::uint32_t> rows_of_cause(const RunComparison& comparison, std::optional<TimeCategory> cause);

/// Rows of the change table are those of rows_of_cause(). O(rows).
Table comparison_table(const RunComparison& comparison, const TableInfo& kind,
                       std::optional<TimeCategory> cause = {});

/// One row per rank, in the given order. O(ranks).
Table rank_change_table(std::span<const RankComparison> ranks);

/// Maximum number of rows with which the change table has the column "steps".
inline constexpr std::size_t kMaxStepsRows = 24;

/// Converts a change scaled by nA x nB to ns per mean step.
double mean_change(const RunComparison& comparison, std::int64_t change);

}  // namespace kino
