// The rulers of a snapshot's plot: bytes at its left, events, time or steps above it.
#pragma once

#include <imgui.h>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// With lines through the plot; those between steps are draw_step_borders().
void draw_byte_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme);
void draw_event_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme);
/// Over the bands. Nothing unless the axis is along steps.
void draw_step_borders(ImDrawList& list, const SnapshotState& state, const Theme& theme);

}  // namespace kino
