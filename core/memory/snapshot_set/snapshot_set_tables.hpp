// Tables of a set of snapshots: one row per snapshot, one row per line of code, differences from the median.
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

/// The list of all tables of this kind, computed by snapshot_set_table(). RowLink::recording() is the index
/// of a member.
std::span<const TableInfo* const> snapshot_set_table_kinds();

/// Returns the grouping of rows for a table group.
SumsBy sums_by(std::size_t group);

/// Parameters of the batch size table.
struct BatchQuery {
  std::vector<std::uint64_t> sizes;  ///< by SnapshotMember::source; empty: from the file names
  std::optional<std::uint64_t> capacity;
  bool operator==(const BatchQuery&) const = default;
};
/// Returns sizes by SnapshotMember::source, read by sizes_in_names().
std::vector<std::uint64_t> sizes_of_files(const SnapshotSet& set);

/// Fails for unknown tables and groups, for request members that sets do not support, and if there is no
/// line over batch sizes. `request.sizes` are by SnapshotMember::source. O(rows of all members * log).
Result<Table> snapshot_set_table(const SnapshotSet& set, const TableRequest& request,
                                 const std::stop_token& stop = {});
/// Returns a table of the list.
Table snapshot_set_table(const SnapshotSet& set, const TableInfo& kind, const TableQuery& query,
                         const BatchQuery& batch = {}, const std::stop_token& stop = {});

}  // namespace kino
