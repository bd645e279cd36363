// The time of the rows on a job's page that are high enough for two bands, and what is selected in all of
// them.
#pragma once

#include <cstdint>

#include <imgui.h>

#include "app/pages/job/job_state.hpp"

namespace kino {

/// Where the lower of the two bands of a row begins, px from its top.
float lower_band_px(const JobLine& line);

/// Computing above, communicating below, with whom it waits for.
void draw_two_lanes(ImDrawList& list, const JobState& state, const JobLine& line);
/// All members of the selected collective, in sight; where its last one arrived; how late that was.
void draw_selected(ImDrawList& list, const JobState& state);
/// The share of the ranks of each group that compute, move data or wait, in the band above them.
void draw_group_band(ImDrawList& list, const JobState& state, const JobLine& line);

}  // namespace kino
