// The rulers of a snapshot's plot: bytes on its left, and events, time or steps above it.
#pragma once

#include <imgui.h>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Draw the rulers, with lines through the plot. The lines between steps are drawn by draw_step_borders().
void draw_byte_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme);
void draw_event_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme);
/// Draws the lines between steps over the bands. Does nothing unless the axis shows steps.
void draw_step_borders(ImDrawList& list, const SnapshotState& state, const Theme& theme);

}  // namespace kino
