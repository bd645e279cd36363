// Which tables an allocator snapshot has, and how the command line and the window ask for one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/memory/tables/snapshot_tables.hpp"
#include "core/tables/table_kind.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// The only list of them, by heading. The last one, kCompareTable, compares two snapshots.
std::span<const TableInfo* const> snapshot_table_kinds();

/// The device of this ordinal; without one the device with the highest peak. Fails with a sentence when there
/// is none.
Result<std::size_t> device_asked_for(const Snapshot& snapshot, std::optional<std::int64_t> ordinal);
/// "peak", "start", "end", "oom" (the first) or the number of an event. Fails with a sentence.
Result<EventIndex> moment_named(const SnapshotDevice& device, std::string_view text);

/// A table of one snapshot by its name and group, the first one for an empty group. Fails with a sentence for
/// names it does not know. `scope.query` may ask for events only of tables that support actions.
Result<Table> snapshot_table(const SnapshotScope& scope, std::string_view name, std::string_view group,
                             const std::stop_token& stop = {});

/// As the command line asks; `rules` are those of categories. An option that the table does not support is an
/// error.
Result<Table> compute_snapshot_table(const Snapshot& snapshot, const TableRequest& request,
                                     const CategoryRuleSet& rules);
Result<Table> compute_comparison(const Snapshot& before, const Snapshot& after, const TableRequest& request,
                                 const CategoryRuleSet& rules);
Result<std::string> compute_folded(const Snapshot& snapshot, const TableRequest& request);

}  // namespace kino
