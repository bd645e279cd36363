// The sliders of the page of the critical path, and the forecast of all settings together.
#pragma once

#include "app/pages/critical/critical_state.hpp"

namespace kino {

/// Draws one slider per setting that applies to the trace, from no time to the recorded time. Requires
/// CriticalState::can_forecast().
void draw_setting_sliders(CriticalState& state);

}  // namespace kino
