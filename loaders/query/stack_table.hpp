// The Python stacks of slices in SQL, a frame a row.
#pragma once

#include <memory>

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// stack(slice_id, depth, frame, function, filename, line, frame_slice_id): the innermost frame has depth 0.
/// The frames of a slice are the Python functions around it, itself among them, or what the "Call stack" of
/// the innermost event around it says; those of GPU work are its launch's. At most 1,000 a slice. By slice_id
/// O(depth).
std::unique_ptr<SqlTable> stack_table(QueryContext& context);

}  // namespace kino
