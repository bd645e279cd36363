// Brackets of annotations above the GPU streams that they belong to.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include <imgui.h>

#include "app/pages/timeline/overlays/slice_labels.hpp"
#include "app/ui/view/event_pick.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/slice_set.hpp"
#include "core/trace/trace.hpp"
#include "render/time_view.hpp"

namespace kino {

/// Calls visit(slice, left_px, right_px) for the brackets of a lane in view, from left to right. Among those
/// inside of the same px, only the first is visited. O(width log brackets).
template <class Visit>
void visit_brackets(const Trace& trace, std::span<const SliceId> lane, const TimeView& view,
                    const Visit& visit) {
  const auto first_ending_at = [&](std::span<const SliceId>::iterator from, double time_ns) {
    return std::partition_point(
        from, lane.end(), [&](SliceId slice) { return static_cast<double>(trace.end_ns(slice)) < time_ns; });
  };
  auto at = first_ending_at(lane.begin(), view.begin_ns);
  while (at != lane.end()) {
    const double left = view.px_from_ns(static_cast<double>(trace.start_ns(*at)));
    const double right = view.px_from_ns(static_cast<double>(trace.end_ns(*at)));
    if (left >= view.width_px) return;
    visit(*at, left, right);
    ++at;
    if (right - left < 1) at = first_ending_at(at, view.ns_from_px(std::floor(left) + 1));
  }
}

/// Returns the longest bracket of a lane within `tolerance_px` of a px, and the number of such brackets.
/// Considers only the first 256 of them. O(log brackets).
EventPick pick_bracket(const Trace& trace, std::span<const SliceId> lane, const TimeView& view, double px,
                       double tolerance_px);

/// Options of drawing brackets.
struct BracketStyle {
  const SliceSet* emphasized = nullptr;  ///< others fade; null: all are equal
  bool dimmed = false;                   ///< whether the legend dims annotations
};

/// Draws the brackets of the streams in view, with names where they fit. O(width log brackets) per stream.
void draw_brackets(ImDrawList& list, const TimelineState& state, SliceLabels& labels,
                   const BracketStyle& style, const Theme& theme);

}  // namespace kino
