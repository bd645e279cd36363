// The column of track names beside the tracks and the bars of the groups across them.
#pragma once

#include <string>

#include <imgui.h>

#include "app/theme.hpp"
#include "app/track_layout.hpp"
#include "core/trace.hpp"

namespace kino {

/// Where the track area lies on screen; headers take `header_px` at its left.
struct HeaderArea {
  ImVec2 left_top;
  float header_px = 240;
  float width_px = 0;  ///< headers and tracks
  float height_px = 0;
  double scroll_px = 0;
};

/// Draws the headers of what is visible. O(visible items).
void draw_track_headers(ImDrawList& list, const Trace& trace, const TrackLayout& layout,
                        const FoldState& folds, const HeaderArea& area, const LayoutItem* hovered,
                        const Theme& theme, float ui_scale);

/// Folds or unfolds what was clicked at `inside_px` below the item's top; true when something changed.
bool click_track_header(const Trace& trace, const TrackLayout& layout, FoldState& folds,
                        const LayoutItem& item, double inside_px);

/// "+260 more lanes", "show fewer lanes", or empty.
std::string lanes_note(const Trace& trace, const LayoutItem& item, const FoldState& folds,
                       const LayoutMeasures& measures);

/// The whole name and what there is to say about a track or group, inside a tooltip.
void draw_header_tooltip(const Trace& trace, const LayoutItem& item, float ui_scale);

/// A counter's value as people read it: bytes with a unit, else digits.
std::string counter_text(double value, bool bytes);

}  // namespace kino
