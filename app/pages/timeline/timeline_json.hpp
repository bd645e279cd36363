// Reports the content and positions of a timeline to UI tests.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/ui/view/timeline_state.hpp"

namespace kino {

nlohmann::ordered_json json_of(const TimelineState& shown);

}  // namespace kino
