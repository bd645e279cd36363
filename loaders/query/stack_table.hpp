// SQL table of the Python stacks of slices, one row per frame.
#pragma once

#include <memory>

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Creates stack(slice_id, depth, frame, function, filename, line, frame_slice_id). The innermost frame has
/// depth 0. The frames of a slice are the enclosing Python functions, including the slice itself. If an event
/// with a "Call stack" is further inside, its frames are used instead. GPU work has the frames of its launch.
/// At most 1,000 frames per slice. A search by slice_id takes O(depth).
std::unique_ptr<SqlTable> stack_table(QueryContext& context);

}  // namespace kino
