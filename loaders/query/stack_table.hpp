// Python stacks of slices in SQL, one row per frame.
#pragma once

#include <memory>

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// stack(slice_id, depth, frame, function, filename, line, frame_slice_id): the innermost frame has depth 0.
/// The frames of a slice are the Python functions around it, including itself, or the "Call stack" of the
/// innermost event around it. GPU work has the frames of its launch. At most 1,000 frames per slice. By
/// slice_id O(depth).
std::unique_ptr<SqlTable> stack_table(QueryContext& context);

}  // namespace kino
