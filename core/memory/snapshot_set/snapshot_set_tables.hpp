// Tables of many snapshots: a row a snapshot, a row a line of code, what differs from the median.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/memory/snapshot_set/batch_size.hpp"
#include "core/memory/snapshot_set/snapshot_set.hpp"
#include "core/tables/table_kind.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// The only list of them; they are computed by snapshot_set_table().
/// RowLink::recording() is the index of a member.
std::span<const TableInfo* const> snapshot_set_table_kinds();

/// What a group of theirs makes a row of.
SumsBy sums_by(std::size_t group);

/// What the table of batch sizes is asked for.
struct BatchAsked {
  std::vector<std::uint64_t> sizes;  ///< by SnapshotMember::source; empty: as the names of files tell
  std::optional<std::uint64_t> capacity;
  bool operator==(const BatchAsked&) const = default;
};
/// By SnapshotMember::source, as sizes_in_names() reads them.
std::vector<std::uint64_t> sizes_of_files(const SnapshotSet& set);

/// Fails with a sentence for a table or group that it does not know, for what is not asked of many
/// snapshots, and where there is no line over batch sizes. `request.sizes` are by SnapshotMember::source.
/// O(rows of all members * log).
Result<Table> snapshot_set_table(const SnapshotSet& set, const TableRequest& request,
                                 const std::stop_token& stop = {});
/// Returns a table of the list.
Table snapshot_set_table(const SnapshotSet& set, const TableInfo& kind, const TableQuery& query,
                         const BatchAsked& batch = {}, const std::stop_token& stop = {});

}  // namespace kino
