// `flow` and its table functions: the flows of a trace, including launches.
#pragma once

#include <memory>

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Creates the table with one row per flow. Flows derived from sequence numbers, which are not in the file,
/// are left out.
std::unique_ptr<SqlTable> flow_table(QueryContext& context);

enum class FlowDirection : std::uint8_t { following, preceding, direct };
/// Creates a table function. following_flow(slice) has the flows that leave a slice, and those that leave the
/// slices reached. The function preceding_flow(slice) has the flows that arrive at a slice, and those that
/// arrive at the sources of these flows or the sources' ancestors. The function
/// directly_connected_flow(slice) has only the flows that leave the slice or arrive at it.
std::unique_ptr<SqlTable> flow_function_table(FlowDirection way, QueryContext& context);

}  // namespace kino
