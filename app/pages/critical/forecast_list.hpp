// The list of the usual forecasts: what would help, with the range of each forecast.
#pragma once

#include "app/pages/critical/critical_state.hpp"

namespace kino {

/// Draws one row per forecast, shortest first, with its change and range relative to the recorded length.
/// Rows whose range includes no change are gray. A click makes the setting, or removes it. Requires
/// CriticalState::has_path(). O(visible rows).
void draw_forecast_list(CriticalState& state);

}  // namespace kino
