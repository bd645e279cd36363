// `flow` and its table functions: the arrows of a trace, those of launches among them.
#pragma once

#include <memory>

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// A row an arrow. Arrows that Kineto's sequence numbers tell, and the file does not have, are none.
std::unique_ptr<SqlTable> flow_table(QueryContext& context);

enum class FlowWay : std::uint8_t { following, preceding, direct };
/// following_flow(slice): the arrows that leave it, and those that leave what they reach;
/// preceding_flow(slice): those that arrive at it, and those that arrive where they come from or at what lies
/// above that; directly_connected_flow(slice): both, one step.
std::unique_ptr<SqlTable> flow_function_table(FlowWay way, QueryContext& context);

}  // namespace kino
