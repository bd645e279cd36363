#include "app/pages/timeline/track_drag.hpp"

#include <algorithm>
#include <cmath>

namespace kino {
namespace {

constexpr float kTrackDragPx = 5;  // largest mouse movement of a click
constexpr float kEdgePx = 24;      // distance from an edge within which the tracks scroll
constexpr double kScrollPx = 6;    // scrolled distance per frame

}  // namespace

void TrackDrag::press(TrackTarget target, float y) {
  target_ = target;
  from_y_ = y_ = y;
  moved_ = false;
}

std::optional<TrackDrag::Place> TrackDrag::place_at(const TimelineState& state, float y) const {
  const TrackLayout& layout = state.layout;
  const ShownRows rows = state.rows();
  const bool track = target_->kind == LayoutItem::Kind::track;
  const bool pinned = track && state.arrangement.is_pinned(target_->index);
  const TrackScroll scroll = state.shown_scroll();
  std::optional<Place> place;
  for (const LayoutItem& item : layout.items()) {
    const bool same_kind = item.kind == target_->kind && (!track || item.pinned == pinned);
    const bool same_group =
        !track || pinned || rows.track_at(item.index).process == rows.track_at(target_->index).process;
    if (!same_kind || !same_group) continue;
    const float top = state.boxes.tracks.top + static_cast<float>(layout.y_of(item, scroll));
    if (y < top + item.height_px / 2) return Place{item.index, top};
    place = Place{Arrangement::kLast, top + item.height_px};
  }
  return place;
}

void TrackDrag::follow(TimelineState& state, float y, bool held) {
  if (!target_) return;
  y_ = y;
  moved_ = moved_ || std::abs(y - from_y_) > kTrackDragPx * state.scale;
  if (!moved_) {
    if (!held) target_.reset();
    return;
  }
  if (held) {
    const bool pinned =
        target_->kind == LayoutItem::Kind::track && state.arrangement.is_pinned(target_->index);
    const TimelineState::Part room = state.part(pinned);
    const double below = y - state.boxes.headers.top;
    const double edge = kEdgePx * state.scale;
    SmoothScroll& scroll = pinned ? state.pinned_scroll : state.scroll;
    if (below < room.top_px + edge) scroll.jump_to(scroll.position() - kScrollPx * state.scale);
    if (below > room.bottom_px - edge) scroll.jump_to(scroll.position() + kScrollPx * state.scale);
    return;
  }
  if (const std::optional<Place> place = place_at(state, y); place && place->before != target_->index) {
    if (target_->kind == LayoutItem::Kind::track) {
      state.arrangement.move_track(target_->index, place->before, state.rows());
    } else {
      state.arrangement.move_group(target_->index, place->before);
    }
    state.layout_stale = true;
  }
  target_.reset();
}

void TrackDrag::draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const {
  if (!dragging()) return;
  const std::optional<Place> place = place_at(state, y_);
  if (!place) return;
  const Box& headers = state.boxes.headers;
  const float y = std::clamp(place->y, headers.top, headers.bottom);
  const float thickness = std::max(2.0F, state.px(3));
  list.AddLine({headers.left, y}, {state.boxes.tracks.right, y}, theme.accent, thickness);
  ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
}

}  // namespace kino
