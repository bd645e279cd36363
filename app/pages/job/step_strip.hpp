// The steps of a job below its ruler.
#pragma once

#include <imgui.h>

#include "app/pages/job/job_state.hpp"

namespace kino {

/// Handles the mouse: a step under the mouse has a tooltip, and a click shows the step.
void handle_step_strip(JobState& state);
/// Draws each step from its first start on any rank to its last end or the start of the next step, whichever
/// is earlier.
void draw_step_strip(ImDrawList& list, const JobState& state);

}  // namespace kino
