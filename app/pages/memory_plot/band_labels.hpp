// What the strips of a snapshot's plot are called, and their rulers: for every layout but the single pile.
#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// On the button that goes through the layouts.
Text text_for(PlotLayout layout);
/// What is in a strip of state.bands: "train.py:42 forward", "stream 7".
std::string strip_name(const SnapshotState& state, const BandStrip& strip);

/// Left of the plot: bytes from the bottom of each strip. state.bands must be there, as for the next.
void draw_strip_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme);
/// Between the strips, over the bands.
void draw_strip_borders(ImDrawList& list, const SnapshotState& state, const Theme& theme);
/// A strip's name and where it may stand: below the strip's top, the further left the better.
struct StripLabel {
  std::string words;
  std::vector<Box> places;
};
/// Of the strips in sight that have room for a name, from the top.
std::vector<StripLabel> strip_labels(const SnapshotState& state);

}  // namespace kino
