// List of the tables of an allocator snapshot, and their computation by request.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/memory/tables/snapshot_tables.hpp"
#include "core/tables/table_kind.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// Returns all tables of snapshots. The last table, kCompareTable, compares two snapshots.
std::span<const TableInfo* const> snapshot_table_kinds();

/// Returns the index of the GPU with this ordinal; if not set, of the device with the highest peak. Fails if
/// there is no such device.
Result<std::size_t> requested_device(const Snapshot& snapshot, std::optional<std::int64_t> ordinal);
/// Parses "peak", "start", "end", "oom" (the first error) or the number of an event.
Result<EventIndex> requested_moment(const SnapshotDevice& device, std::string_view text);

/// Returns a table of one snapshot. An empty group is the first group. Fails for unknown names. `scope.query`
/// may request events only if the table supports actions.
Result<Table> snapshot_table(const SnapshotScope& scope, std::string_view name, std::string_view group,
                             const std::stop_token& stop = {});

/// Returns the table of a command-line request. Fails for options that the table does not support.
Result<Table> compute_snapshot_table(const Snapshot& snapshot, const TableRequest& request,
                                     const CategoryRuleSet& rules);
Result<Table> compute_comparison(const Snapshot& before, const Snapshot& after, const TableRequest& request,
                                 const CategoryRuleSet& rules);
Result<std::string> compute_folded(const Snapshot& snapshot, const TableRequest& request);

}  // namespace kino
