// The rulers of a snapshot's plot: bytes on its left, and events, time or steps above it.
#pragma once

#include <imgui.h>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Draws the ruler of bytes, with a line through the plot at each tick.
void draw_byte_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme);
/// Draws the ruler of events, time or steps. On an axis of events or time, also draws lines through the plot.
void draw_event_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme);
/// Draws the lines between steps over the bands. Does nothing unless the axis shows steps.
void draw_step_borders(ImDrawList& list, const SnapshotState& state, const Theme& theme);

}  // namespace kino
