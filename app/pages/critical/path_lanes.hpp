// The lanes of the page of the critical path: the recorded path, and the path after the settings.
#pragma once

#include <imgui.h>

#include "app/pages/critical/critical_state.hpp"

namespace kino {

/// Draws the lanes by cause on one time axis, with the steps and a legend. A click on a piece shows it in the
/// timeline. Requires CriticalState::has_path(). O(width + log pieces).
void draw_path_lanes(ImDrawList& list, CriticalState& state);

}  // namespace kino
