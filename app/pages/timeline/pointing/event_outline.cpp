#include "app/pages/timeline/pointing/event_outline.hpp"

#include <algorithm>
#include <cmath>

#include "app/ui/view/event_steps.hpp"

namespace kino {

void draw_event_outline(ImDrawList& list, const TimelineState& state, EventRef event, std::uint32_t color,
                        float thickness) {
  const LayoutMeasures& measures = state.layout.measures();
  double y = 0;
  float height = measures.instants_px;
  bool pinned = false;
  if (event.slice != kNoSlice) {
    const auto lane = state.lane_of(event.slice);
    if (!lane) return;
    y = lane->y_px;
    height = lane->height_px - measures.gap_px;
    pinned = lane->pinned;
  } else {
    const LayoutItem* item = state.layout.item_of(index_of(track_of(*state.trace, event)));
    if (item == nullptr) return;
    y = state.layout.y_of(*item, state.shown_scroll()) + measures.padding_px;
    pinned = item->pinned;
  }
  const TimeRange range = range_of(*state.trace, event);
  const TimeView& view = state.navigation.view();
  const double beyond = 4 * thickness;
  const double left = std::max(-beyond, view.px_from_ns(static_cast<double>(range.begin_ns)));
  const double right = std::min(view.width_px + beyond, view.px_from_ns(static_cast<double>(range.end_ns)));
  if (right < -beyond || left > view.width_px + beyond) return;
  const float x0 = state.boxes.tracks.left + std::floor(static_cast<float>(left));
  const float x1 = std::max(state.boxes.tracks.left + std::ceil(static_cast<float>(right)), x0 + thickness);
  const float y0 = state.boxes.tracks.top + static_cast<float>(y);
  const float half = thickness / 2;
  const TimelineState::Part room = state.part(pinned);
  list.PushClipRect({state.boxes.tracks.left, state.boxes.tracks.top + static_cast<float>(room.top_px)},
                    {state.boxes.tracks.right, state.boxes.tracks.top + static_cast<float>(room.bottom_px)},
                    true);
  list.AddRect({x0 - half, y0 - half}, {x1 + half, y0 + height + half}, color, 2 * state.scale, 0, thickness);
  list.PopClipRect();
}

}  // namespace kino
