// Top of the job page: the verdict, and the bar with the ranks, clocks and matching on which it is based.
#pragma once

#include <imgui.h>

#include "app/pages/job/job_state.hpp"

namespace kino {

/// Draws into state.boxes.head, state.boxes.bar and state.boxes.figures, and handles the mouse there.
void draw_job_head(ImDrawList& list, JobState& state);

}  // namespace kino
