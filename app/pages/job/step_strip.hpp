// The steps of a job below its ruler.
#pragma once

#include <imgui.h>

#include "app/pages/job/job_state.hpp"

namespace kino {

/// Shows the step that is clicked.
void handle_step_strip(JobState& state);
/// Draws each step from its first begin on any rank to its last end, or to the begin of the next step.
void draw_step_strip(ImDrawList& list, const JobState& state);

}  // namespace kino
