// Which tables an allocator snapshot has, and how the command line and the window ask for one.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/table_command.hpp"
#include "app/table_request.hpp"
#include "core/result.hpp"
#include "core/snapshot_tables.hpp"

namespace kino {

/// In the order of the window's list; "compare" is the command line's alone and not among them.
std::span<const TableKind> snapshot_table_kinds();
inline constexpr std::array<std::string_view, 6> kCompareGroups{"stack", "line",     "function",
                                                                "file",  "category", "pool"};
inline constexpr TableKind kCompareKind{
    "compare", "Two snapshots, what is live at a moment (--at) of each; needs two files", kCompareGroups};
/// "stack", "line" and so on; an empty one is by stack.
std::optional<LiveGrouping> live_grouping(std::string_view group);

/// The device of this ordinal; without one the device with the highest peak. Fails with a sentence when there
/// is none.
Result<std::size_t> device_asked_for(const Snapshot& snapshot, std::optional<std::int64_t> ordinal);
/// "peak", "start", "end", "oom" (the first) or the number of an event. Fails with a sentence.
Result<EventIndex> moment_named(const SnapshotDevice& device, std::string_view text);

/// A table by its name and group, the first one for an empty group. Fails with a sentence for names it does
/// not know. `scope.query` may ask for events only with the table of events.
Result<Table> snapshot_table(const SnapshotScope& scope, std::string_view name, std::string_view group,
                             const std::stop_token& stop = {});

/// As the command line asks; `rules` are those of categories. An option that the table cannot heed is an
/// error.
Result<Table> compute_snapshot_table(const Snapshot& snapshot, const TableRequest& request,
                                     const std::vector<CategoryRule>& rules);
Result<Table> compute_comparison(const Snapshot& before, const Snapshot& after, const TableRequest& request,
                                 const std::vector<CategoryRule>& rules);
Result<std::string> compute_folded(const Snapshot& snapshot, const TableRequest& request);

}  // namespace kino
