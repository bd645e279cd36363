// The report of an allocator snapshot: plot, peak, live memory, growth, segments and OOMs as one HTML page.
#pragma once

#include <string>
#include <string_view>

#include "core/memory/snapshot.hpp"
#include "core/memory/tables/snapshot_categories.hpp"

namespace kino {

/// Returns the page in UTF-8, with one part per device, for at most 16 devices. The page loads nothing and
/// runs no script, and texts of the snapshot are never interpreted as markup. `file` is the title; `rules`
/// assign the categories. O(allocations * rules + entries).
std::string snapshot_report(const Snapshot& snapshot, std::string_view file, const CategoryRuleSet& rules);

}  // namespace kino
