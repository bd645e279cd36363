// The state of a table tab for UI tests.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/ui/tables/table_tab.hpp"

namespace kino {

/// Returns the chosen table, its order and selection, and the names of the first rows as JSON.
nlohmann::ordered_json table_state(const TableTab& tab);

}  // namespace kino
