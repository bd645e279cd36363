// The top of a job's page: the verdict, and the bar that says what it rests on.
#pragma once

#include <imgui.h>

#include "app/pages/job/job_state.hpp"

namespace kino {

/// Into state.boxes.head and state.boxes.bar; handles their mouse.
void draw_job_head(ImDrawList& list, JobState& state);

}  // namespace kino
