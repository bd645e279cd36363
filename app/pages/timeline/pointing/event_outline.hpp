// Outlines of events over the tracks.
#pragma once

#include <cstdint>

#include <imgui.h>

#include "app/ui/view/timeline_state.hpp"
#include "core/trace/event_ref.hpp"

namespace kino {

/// Draws a rectangle around an event, clipped to the pinned or scrolled part of the tracks. Draws nothing if
/// the event is out of sight or hidden. O(log rows), or O(tracks) for an instant.
void draw_event_outline(ImDrawList& list, const TimelineState& state, EventRef event, std::uint32_t color,
                        float thickness);

}  // namespace kino
