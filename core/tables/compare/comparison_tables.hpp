// Tables of the differences between two runs: by name, by cause, replaced kernels, and the checks.
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
extern const TableInfo kLedgerChangeTable;  ///< rows of the step ledger
extern const TableInfo kLayerChangeTable;   ///< layers that both runs have
extern const TableInfo kReplacedTable;
extern const TableInfo kCheckTable;
extern const TableInfo kRankChangeTable;  ///< for two jobs

/// Returns all comparison tables; kRankChangeTable is included only for two jobs. comparison_table() and
/// rank_change_table() compute them.
std::span<const TableInfo* const> comparison_table_kinds(bool of_jobs);

/// Returns the indices into RunComparison::rows of rows with this cause, or of all rows. O(rows).
std::vector<std::uint32_t> rows_of_cause(const RunComparison& comparison, std::optional<TimeCategory> cause);

/// Computes the table `kind`, which must not be kRankChangeTable. The change table contains the rows of
/// rows_of_cause(). O(rows).
Table comparison_table(const RunComparison& comparison, const TableInfo& kind,
                       std::optional<TimeCategory> cause = {});

/// Returns the table with one row per rank, in the given order. O(ranks).
Table rank_change_table(std::span<const RankComparison> ranks);

/// The change table has the column "steps" only if neither run has more than this number of steps.
inline constexpr std::size_t kMaxStepsRows = 24;

/// Converts a change scaled by the numbers of steps (ComparedRow::change) to ns per mean step.
double mean_change(const RunComparison& comparison, std::int64_t change);

}  // namespace kino
