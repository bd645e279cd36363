// Table functions on the tree of slices: ancestor_slice(id) and descendant_slice(id).
#pragma once

#include <memory>

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Creates ancestor_slice(id): the ancestors of a slice, innermost first. O(depth).
std::unique_ptr<SqlTable> ancestor_slice_table(QueryContext& context);
/// Creates descendant_slice(id): the descendants of a slice, in row order. O(events on its thread during the
/// slice * depth).
std::unique_ptr<SqlTable> descendant_slice_table(QueryContext& context);

}  // namespace kino
