// The rulers of a snapshot's plot: bytes left of it; events, time or steps above it.
#pragma once

#include <imgui.h>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Draws rulers with lines through the plot; draw_step_borders() draws those between steps.
void draw_byte_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme);
void draw_event_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme);
/// Draws over the bands; nothing unless the axis shows steps.
void draw_step_borders(ImDrawList& list, const SnapshotState& state, const Theme& theme);

}  // namespace kino
