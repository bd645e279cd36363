// The column of track names beside the tracks, and the group bars across them.
#pragma once

#include <string>

#include <imgui.h>

#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Draws the visible headers. O(visible items).
void draw_track_headers(ImDrawList& list, const TimelineState& state, const Theme& theme);

/// Part of a header under the mouse. `tick`: the box that adds the track to the marked range, if a range is
/// marked.
enum class HeaderPart : std::uint8_t { name, lanes_note, pin, menu, tick };
/// Returns the part of a header at a position: `x_px` from its left and `y_px` from its visible top.
HeaderPart header_part_at(const TimelineState& state, const LayoutItem& item, float x_px, float y_px);

/// Applies a click on a header: folds, unfolds, pins, or shows more or fewer lanes. Returns whether the
/// arrangement changed.
bool click_track_header(const ShownRows& rows, const LayoutMeasures& measures, Arrangement& arrangement,
                        const LayoutItem& item, HeaderPart part);

/// Returns the text of the line that shows or hides lanes: "+260 more lanes", "show fewer lanes", or empty.
std::string lanes_note(const ShownRows& rows, const LayoutItem& item, const Arrangement& arrangement,
                       const LayoutMeasures& measures);

/// Draws the tooltip of a header: full name and facts of a track or group, or the hint of an icon.
void draw_header_tooltip(const TimelineState& state, const LayoutItem& item, HeaderPart part);

}  // namespace kino
