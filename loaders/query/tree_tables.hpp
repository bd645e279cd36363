// Table functions on the tree of slices: ancestor_slice(id) and descendant_slice(id).
#pragma once

#include <memory>

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// The ancestors of a slice, innermost first. O(depth).
std::unique_ptr<SqlTable> ancestor_slice_table(QueryContext& context);
/// The descendants of a slice, in order of rows. O(events in its time on its thread * depth).
std::unique_ptr<SqlTable> descendant_slice_table(QueryContext& context);

}  // namespace kino
