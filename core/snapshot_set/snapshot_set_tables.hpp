// Tables of many snapshots: a row a snapshot, a row a line of code, what differs from the median.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/result.hpp"
#include "core/snapshot_set/snapshot_set.hpp"
#include "core/table/table_kind.hpp"
#include "core/table/table_request.hpp"

namespace kino {

/// The only list of them; they are computed by snapshot_set_table(), so their TableKind::compute is empty.
/// RowLink::recording() is the index of a member.
std::span<const TableKind* const> snapshot_set_table_kinds();

/// What a group of theirs makes a row of.
SumsBy sums_by(std::size_t group);

/// Fails with a sentence for a table or group that it does not know, and for what is not asked of many
/// snapshots. O(rows of all members * log).
Result<Table> snapshot_set_table(const SnapshotSet& set, const TableRequest& request,
                                 const std::stop_token& stop = {});
/// The same for one of the list and one of its groups.
Table snapshot_set_table(const SnapshotSet& set, const TableKind& kind, std::size_t group,
                         const std::stop_token& stop = {});

}  // namespace kino
