// The column of track names beside the tracks and the bars of the groups across them.
#pragma once

#include <string>

#include <imgui.h>

#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Draws the headers of what is visible. O(visible items).
void draw_track_headers(ImDrawList& list, const TimelineState& state, const Theme& theme);

/// What of a header lies under the mouse.
/// `tick`: the box that makes the marked range sum up the track, there only with a range.
enum class HeaderPart : std::uint8_t { name, lanes_note, pin, menu, tick };
/// `x_px` from the header's left, `y_px` from its visible top.
HeaderPart header_part_at(const TimelineState& state, const LayoutItem& item, float x_px, float y_px);

/// Folds or unfolds what was clicked; true when something changed.
bool click_track_header(const ShownRows& rows, const LayoutMeasures& measures, Arrangement& arrangement,
                        const LayoutItem& item, HeaderPart part);

/// "+260 more lanes", "show fewer lanes", or empty.
std::string lanes_note(const ShownRows& rows, const LayoutItem& item, const Arrangement& arrangement,
                       const LayoutMeasures& measures);

/// The whole name and what there is to say about a track or group, inside a tooltip.
void draw_header_tooltip(const TimelineState& state, const LayoutItem& item, HeaderPart part);

}  // namespace kino
