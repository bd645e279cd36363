// Queries to begin with.
#pragma once

#include <span>
#include <string_view>

#include "app/ui/text/texts.hpp"

namespace kino {

struct SqlExample {
  Text title{};
  std::string_view sql;
};

/// Each runs on any trace.
std::span<const SqlExample> sql_examples();

}  // namespace kino
