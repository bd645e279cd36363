// Tables of a set of snapshots: one row per snapshot, one row per line of code, differences from the median,
// and the fit by batch size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.hpp"
#include "core/memory/snapshot_set/batch_size.hpp"
#include "core/memory/snapshot_set/snapshot_set.hpp"
#include "core/tables/table_kind.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// Returns all tables of a set, which snapshot_set_table() computes. RowLink::recording() is the index of a
/// member.
std::span<const TableInfo* const> snapshot_set_table_kinds();

/// Returns the grouping of rows for the index of a table group.
SumsBy sums_by(std::size_t group);

/// Parameters of the batch size table.
struct BatchQuery {
  std::vector<std::uint64_t> sizes;  ///< sizes by SnapshotMember::source; empty: read from the file names
  std::optional<std::uint64_t> capacity;
  bool operator==(const BatchQuery&) const = default;
};
/// Returns sizes by SnapshotMember::source, read from the file names by sizes_in_names().
std::vector<std::uint64_t> sizes_of_files(const SnapshotSet& set);

/// Returns the requested table. Fails for unknown tables and groups, and for members of the request that sets
/// do not support. Fails if the requested line over batch sizes cannot be fitted. `request.sizes` are by
/// SnapshotMember::source. O(rows of all members * log).
Result<Table> snapshot_set_table(const SnapshotSet& set, const TableRequest& request,
                                 const std::stop_token& stop = {});
/// Returns one of snapshot_set_table_kinds().
Table snapshot_set_table(const SnapshotSet& set, const TableInfo& kind, const TableQuery& query,
                         const BatchQuery& batch = {}, const std::stop_token& stop = {});

}  // namespace kino
