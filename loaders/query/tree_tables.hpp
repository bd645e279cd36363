// Table functions over the tree of slices: ancestor_slice(id) and descendant_slice(id).
#pragma once

#include <memory>

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// The parents of a slice, innermost first. O(depth).
std::unique_ptr<SqlTable> ancestor_slice_table(QueryContext& context);
/// What lies below it, in order of its rows. O(events in its time on its thread * depth).
std::unique_ptr<SqlTable> descendant_slice_table(QueryContext& context);

}  // namespace kino
