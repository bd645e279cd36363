// `args`: a row for each argument of an event, read from the file when it is asked for.
#pragma once

#include <memory>

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// By arg_set_id it costs that event; else the file is read once, in its order.
std::unique_ptr<SqlTable> args_table(QueryContext& context);

}  // namespace kino
