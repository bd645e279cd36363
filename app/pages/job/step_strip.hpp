// The steps of a job below its ruler.
#pragma once

#include <imgui.h>

#include "app/pages/job/job_state.hpp"

namespace kino {

/// A click goes to a step.
void handle_step_strip(JobState& state);
/// From the first begin of each on any rank to its last end, or to the begin of the next.
void draw_step_strip(ImDrawList& list, const JobState& state);

}  // namespace kino
