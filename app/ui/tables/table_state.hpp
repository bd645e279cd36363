// What a tab of tables tells UI tests.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/ui/tables/table_tab.hpp"

namespace kino {

/// What is chosen, and the first rows' names.
nlohmann::ordered_json table_state(const TableTab& tab);

}  // namespace kino
