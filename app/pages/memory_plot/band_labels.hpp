// Names and rulers of the strips of a snapshot's plot, for all layouts except the stacked one, and the name
// of each layout.
#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Returns the name of a layout, which labels the button that cycles through the layouts.
Text text_for(PlotLayout layout);
/// Returns the name of a strip of state.bands: "train.py:42 forward", "stream 7".
std::string strip_name(const SnapshotState& state, const BandStrip& strip);

/// Draws the ruler of each strip, left of the plot. This function and the following ones require state.bands.
void draw_strip_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme);
void draw_strip_borders(ImDrawList& list, const SnapshotState& state, const Theme& theme);
/// Label of a strip with the strip's name and peak, and its possible places from left to right below the
/// strip's top.
struct StripLabel {
  std::string words;
  std::vector<Box> places;
};
/// Returns the labels of the visible strips that have enough room, from top to bottom.
std::vector<StripLabel> strip_labels(const SnapshotState& state);

}  // namespace kino
