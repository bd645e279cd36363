// The steps of a job below its ruler.
#pragma once

#include <imgui.h>

#include "app/pages/job/job_state.hpp"

namespace kino {

/// Handles the mouse: a click on a step shows the step.
void handle_step_strip(JobState& state);
/// Draws each step from its first start on any rank to its last end, or to the start of the next step.
void draw_step_strip(ImDrawList& list, const JobState& state);

}  // namespace kino
