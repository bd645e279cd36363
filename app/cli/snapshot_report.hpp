// The report of an allocator snapshot: plot, peak, live memory, growth, segments and OOMs as one HTML page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/memory/snapshot.hpp"
#include "core/memory/tables/snapshot_categories.hpp"

namespace kino {

/// The page, in UTF-8: all devices, one after the other. It loads nothing and runs no script, and no text of
/// the snapshot can be taken for markup. `file` is how the snapshot is called, `rules` those of categories.
/// O(allocations * rules + entries).
std::string snapshot_report(const Snapshot& snapshot, std::string_view file, const CategoryRuleSet& rules);

}  // namespace kino
