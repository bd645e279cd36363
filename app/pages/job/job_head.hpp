// Top of the job page: the verdict, and the bar with its basis.
#pragma once

#include <imgui.h>

#include "app/pages/job/job_state.hpp"

namespace kino {

/// Draws into state.boxes.head and state.boxes.bar, and handles the mouse there.
void draw_job_head(ImDrawList& list, JobState& state);

}  // namespace kino
