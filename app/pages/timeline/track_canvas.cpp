#include "app/pages/timeline/track_canvas.hpp"

#include <algorithm>
#include <cmath>

#include "app/pages/timeline/pointing/event_outline.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/picture_key.hpp"
#include "app/ui/widgets/ruler.hpp"

namespace kino {
namespace {

void draw_outlines(ImDrawList& list, const TimelineState& state, const Theme& theme) {
  if (state.hovered.event.any() && state.hovered.event != state.selection) {
    draw_event_outline(list, state, state.hovered.event, with_alpha(theme.selection, 0x90),
                       std::max(1.0F, state.px(1)));
  }
  if (state.selection.any())
    draw_event_outline(list, state, state.selection, theme.selection, std::max(2.0F, state.px(2)));
}

}  // namespace

TrackCanvas::TrackCanvas(const std::shared_ptr<const Trace>& trace, const SliceStyle& look, WorkerPool& pool,
                         const std::function<void()>& wake)
    : renderer_(trace, pool, wake),
      labels_(*trace, look),
      idle_(trace, pool, wake),
      folded_(trace, pool, wake) {}

void TrackCanvas::render(const ImDrawList* /*list*/, const ImDrawCmd* command) {
  TrackCanvas& canvas = *static_cast<TrackCanvas*>(command->UserCallbackData);
  canvas.stats_ = canvas.renderer_.draw(canvas.drawn_view_, canvas.drawn_lanes_, canvas.drawn_area_);
  ++canvas.frames_drawn_;
}

void TrackCanvas::draw(ImDrawList& list, const TimelineState& state, const Emphasis& emphasis,
                       const Theme& theme) {
  const Box& tracks = state.boxes.tracks;
  list.AddRectFilled(left_top(tracks), right_bottom(tracks), theme.track_area);
  list.PushClipRect(left_top(tracks), right_bottom(tracks), true);
  state.layout.visit_visible(state.shown_scroll(), tracks.height(), [&](const LayoutItem& item, double y_px) {
    if (item.kind != LayoutItem::Kind::track) return;
    const TimelineState::Part room = state.part(item.pinned);
    const float y = tracks.top + static_cast<float>(std::max(y_px, room.top_px));
    const float bottom = tracks.top + static_cast<float>(std::min(y_px + item.height_px, room.bottom_px));
    if (item.striped || item.pinned) {
      list.AddRectFilled({tracks.left, y}, {tracks.right, bottom},
                         item.striped ? theme.track_stripe : theme.track_area);
    }
    list.AddLine({tracks.left, bottom - 0.5F}, {tracks.right, bottom - 0.5F}, theme.grid);
  });
  const RulerScale ticks = ruler_scale(state.navigation.view(), state.px(kTickDistancePx));
  draw_grid(list, state.navigation.view(), ticks, left_top(tracks), right_bottom(tracks), theme);
  if (state.idle_band) idle_.draw(list, state, ticks, emphasis.chosen, theme);
  draw_brackets(list, state, labels_, emphasis.brackets, theme);
  request_slices(list, state);
  draw_labels(list, state, theme);
  folded_.draw(list, state, theme);
  draw_outlines(list, state, theme);
  list.PopClipRect();
}

void TrackCanvas::request_slices(ImDrawList& list, const TimelineState& state) {
  const float fine = state.framebuffer_scale;
  const ImVec2 origin = ImGui::GetMainViewport()->Pos;
  const auto whole = [fine](float value) { return static_cast<int>(std::lround(value * fine)); };
  const Box& tracks = state.boxes.tracks;
  drawn_area_.x = whole(tracks.left - origin.x);
  drawn_area_.y = whole(tracks.top - origin.y);
  drawn_area_.width = std::max(0, whole(tracks.right - origin.x) - drawn_area_.x);
  drawn_area_.height = std::max(0, whole(tracks.bottom - origin.y) - drawn_area_.y);
  drawn_area_.pinned_height =
      std::min(drawn_area_.height, whole(static_cast<float>(state.layout.pinned_px())));
  drawn_area_.framebuffer_height = whole(ImGui::GetIO().DisplaySize.y);
  const TimeView& view = state.navigation.view();
  drawn_view_ = {view.begin_ns, view.ns_per_px / fine, view.width_px * fine};
  state.layout.visible_lanes(state.shown_scroll(), tracks.height(), drawn_lanes_);
  for (LaneDraw& lane : drawn_lanes_) {
    lane.top_px *= fine;
    lane.height_px *= fine;
  }
  add_drawing(list, &TrackCanvas::render, this,
              picture_key(renderer_, drawn_view_, drawn_lanes_, drawn_area_));
}

void TrackCanvas::draw_labels(ImDrawList& list, const TimelineState& state, const Theme& theme) {
  const TimeView& view = state.navigation.view();
  const TrackScroll top = state.shown_scroll();
  labels_.draw(list, renderer_, state.framebuffer_scale, view, state.rows(), state.layout, top,
               left_top(state.boxes.tracks), theme, state.scale);
  labels_fresh_ =
      frames_drawn_ > 0 && renderer_.complete() && labelled_view_ == view && labelled_scroll_ == top;
  labelled_view_ = view;
  labelled_scroll_ = top;
}

}  // namespace kino
