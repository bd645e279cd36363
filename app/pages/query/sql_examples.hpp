// Example queries.
#pragma once

#include <span>
#include <string_view>

#include "app/ui/text/texts.hpp"

namespace kino {

struct SqlExample {
  Text title{};
  std::string_view sql;
};

/// Returns example queries, which work on any trace.
std::span<const SqlExample> sql_examples();

}  // namespace kino
