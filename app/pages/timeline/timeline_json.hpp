// What a timeline tells UI tests of what it shows and where.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/ui/view/timeline_state.hpp"

namespace kino {

nlohmann::ordered_json json_of(const TimelineState& shown);

}  // namespace kino
