// Time axis of the rows that are high enough for two bands, and the selection in all rows.
#pragma once

#include <cstdint>

#include <imgui.h>

#include "app/pages/job/job_state.hpp"

namespace kino {

/// Distance from the top of a row to its lower band, in px.
float lower_band_px(const JobLine& line);

/// Draws the computation of a rank above its communication, and the names of the ranks for which it waits.
void draw_two_lanes(ImDrawList& list, const JobState& state, const JobLine& line);
/// Draws the visible members of the selected collective, the arrival of the last member, and its lateness.
void draw_selected(ImDrawList& list, const JobState& state);
/// Draws the background of the band above a group.
void draw_group_band(ImDrawList& list, const JobState& state, const JobLine& line);

}  // namespace kino
