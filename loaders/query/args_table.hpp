// `args`: one row per argument of an event, read from the file on demand.
#pragma once

#include <memory>

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Creates the table. A search by arg_set_id reads only that event. Otherwise the arguments of all events are
/// read once, in file order.
std::unique_ptr<SqlTable> args_table(QueryContext& context);

}  // namespace kino
