// The rulers of a snapshot's plot: bytes at its left, events, time or steps above it.
#pragma once

#include <cstdint>
#include <string>

#include <imgui.h>

#include "app/snapshot_state.hpp"
#include "app/theme.hpp"

namespace kino {

/// Between labelled ticks: 1, 2 or 5 times a power of ten, so that about `count` of them cover `length`
/// bytes.
std::uint64_t byte_step(double length, double count);
/// A tick of a scale with this step, in the unit that fits `highest`: "12.35 GB".
std::string byte_tick_text(std::uint64_t bytes, std::uint64_t step, double highest);

/// With lines through the plot; those between steps are draw_step_borders().
void draw_byte_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme);
void draw_event_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme);
/// Over the bands. Nothing unless the axis is along steps.
void draw_step_borders(ImDrawList& list, const SnapshotState& state, const Theme& theme);

}  // namespace kino
