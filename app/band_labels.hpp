// What the strips of a snapshot's plot are called, and their rulers: for every layout but the single pile.
#pragma once

#include <string>

#include <imgui.h>

#include "app/snapshot_state.hpp"
#include "app/texts.hpp"
#include "app/theme.hpp"

namespace kino {

/// On the button that goes through the layouts.
Text text_for(PlotLayout layout);
/// What is in a strip of state.bands: "train.py:42 forward", "stream 7".
std::string strip_name(const SnapshotState& state, const BandStrip& strip);

/// Left of the plot: bytes from the bottom of each strip. state.bands must be there, as for the next.
void draw_strip_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme);
/// Over the bands, at the left edge; a name that has no room is left out.
void draw_strip_labels(ImDrawList& list, const SnapshotState& state, const Theme& theme);

}  // namespace kino
