#include "app/pages/timeline/range_gesture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "app/ui/view/range_tracks.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {
namespace {

constexpr float kGripPx = 4;         // width of the grip on each side of an edge
constexpr double kPanPerSecond = 8;  // speed in px per second, per px beyond the edge

/// Shades the tracks that the range covers.
void shade_tracks(ImDrawList& list, const TimelineState& state, float left, float right,
                  std::uint32_t shade) {
  const Box& tracks = state.boxes.tracks;
  state.layout.visit_visible(state.shown_scroll(), tracks.height(), [&](const LayoutItem& item, double y_px) {
    const bool about = item.kind == LayoutItem::Kind::track &&
                       std::ranges::binary_search(*state.marked.tracks(), item.index);
    if (!about) return;
    const TimelineState::Part room = state.part(item.pinned);
    const float top = tracks.top + static_cast<float>(std::max(y_px, room.top_px));
    const float bottom = tracks.top + static_cast<float>(std::min(y_px + item.height_px, room.bottom_px));
    if (top < bottom) list.AddRectFilled({left, top}, {right, bottom}, shade);
  });
}

bool pressed_on(const char* id, const Box& box) {
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::InvisibleButton(id, {std::max(1.0F, box.width()), std::max(1.0F, box.height())});
  return ImGui::IsItemActivated();
}

/// Returns the index of the layout item at a height on screen, or at the nearest visible height; the last
/// item if there is none.
std::size_t item_at(const TimelineState& state, float screen_y) {
  const std::vector<LayoutItem>& items = state.layout.items();
  const Box& tracks = state.boxes.tracks;
  const float y = std::clamp(screen_y, tracks.top, std::max(tracks.top, tracks.bottom - 1));
  const LayoutItem* item = state.layout.hit(y - tracks.top, state.shown_scroll()).item;
  return item != nullptr ? static_cast<std::size_t>(item - items.data()) : items.size() - 1;
}

void resize_cursor_when_used() {
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
}

}  // namespace

std::int64_t RangeGesture::time_at(const TimelineState& state, ImVec2 place) {
  snapped_ns_.reset();
  const Box& tracks = state.boxes.tracks;
  const TimeView& view = state.navigation.view();
  const double px = std::clamp(place.x, tracks.left, tracks.right) - tracks.left;
  if (!ImGui::GetIO().KeyAlt) {
    const double tolerance = kSnapPx * state.scale;
    const TrackScroll scroll = state.shown_scroll();
    rows_.clear();
    if (tracks.contains(place.x, place.y)) {
      const LayoutHit hit = state.layout.hit(place.y - tracks.top, scroll);
      if (hit.kind == LayoutHit::Kind::lane) rows_.push_back(RowId{hit.row});
    }
    // The lane at this place is tried first, then all visible lanes.
    if (!rows_.empty()) snapped_ns_ = nearest_edge(state.rows(), rows_, view, px, tolerance);
    if (!snapped_ns_) {
      state.layout.visible_lanes(scroll, tracks.height(), lanes_);
      rows_.clear();
      for (const LaneDraw& lane : lanes_) {
        if (lane.kind == LaneDraw::Kind::slices) rows_.push_back(RowId{lane.index});
      }
      snapped_ns_ = nearest_edge(state.rows(), rows_, view, px, tolerance);
    }
  }
  return snapped_ns_.value_or(static_cast<std::int64_t>(std::llround(view.ns_from_px(px))));
}

std::int64_t RangeGesture::time_at_mouse(const TimelineState& state) {
  return time_at(state, ImGui::GetIO().MousePos);
}

MeasuredPlace RangeGesture::measured_at_mouse(const TimelineState& state) {
  const std::int64_t time_ns = time_at_mouse(state);
  const std::optional<std::int64_t> edge_ns = std::exchange(snapped_ns_, std::nullopt);
  return measured_place(*state.trace, state.hovered.event, edge_ns, time_ns);
}

void RangeGesture::press(TimelineState& state, Source source) {
  source_ = source;
  moved_ = false;
  if (source != Source::edge) state.marked.begin(time_at_mouse(state));
}

void RangeGesture::begin_on_tracks(TimelineState& state, ImVec2 pressed) {
  source_ = Source::tracks;
  moved_ = true;
  state.marked.begin(time_at(state, pressed));
  pressed_item_ = item_at(state, pressed.y);
  state.marked.drag_to(time_at_mouse(state));
  cover(state);
}

// Sets the tracks of the range. A range marked on the ruler covers all tracks. A range marked on the tracks
// covers the tracks between its start and the mouse.
void RangeGesture::cover(TimelineState& state) const {
  const std::vector<LayoutItem>& items = state.layout.items();
  if (source_ == Source::ruler) state.marked.cover(std::nullopt);
  if (source_ != Source::tracks || pressed_item_ >= items.size()) return;
  const std::size_t now = std::min(item_at(state, ImGui::GetIO().MousePos.y), items.size() - 1);
  std::vector<std::uint32_t> tracks = covered_tracks(state, items[pressed_item_], items[now]);
  // If the range covers no track with slices, it covers all tracks, because otherwise there is nothing to sum
  // up.
  state.marked.cover(tracks.empty() ? std::nullopt : std::optional(std::move(tracks)));
}

void RangeGesture::place_edges(TimelineState& state) {
  const std::optional<TimeRange>& range = state.marked.range();
  if (!range) return;
  const Box& tracks = state.boxes.tracks;
  const float grip = state.px(kGripPx);
  const std::array edges{RangeSelection::Edge::begin, RangeSelection::Edge::end};
  for (const RangeSelection::Edge edge : edges) {
    const bool first = edge == RangeSelection::Edge::begin;
    float x = state.screen_x(first ? range->begin_ns : range->end_ns);
    // The button of a dragged edge is placed even if the edge is not visible, because otherwise ImGui would
    // release the mouse. The button then stays at the border.
    const bool in_sight = x >= tracks.left - grip && x <= tracks.right + grip;
    if (!in_sight && source_ != Source::edge) continue;
    x = std::clamp(x, tracks.left, tracks.right);
    const Box box{x - grip, state.boxes.ruler.top, x + grip, tracks.bottom};
    if (pressed_on(first ? "range begin" : "range end", box)) {
      state.marked.grab(edge);
      press(state, Source::edge);
    }
    resize_cursor_when_used();
  }
}

// Pans while the mouse is beyond the left or right edge of the tracks, faster for larger distances. For a
// drag on the tracks, also scrolls beyond the top or bottom edge.
void RangeGesture::pan_beyond_edges(TimelineState& state) {
  const float x = ImGui::GetIO().MousePos.x;
  const Box& tracks = state.boxes.tracks;
  // The tracks may end at the window's edge, beyond which the mouse cannot move. Panning therefore starts at
  // the scrollbar.
  const float right = state.boxes.scrollbar.left;
  const float beyond = x < tracks.left ? x - tracks.left : std::max(0.0F, x - right);
  panning_ = beyond != 0;
  const double seconds = std::min(0.1F, ImGui::GetIO().DeltaTime);
  if (panning_) state.navigation.drag_px(beyond * kPanPerSecond * seconds);
  if (source_ != Source::tracks) return;
  const float y = ImGui::GetIO().MousePos.y;
  const float below = y < tracks.top ? y - tracks.top : std::max(0.0F, y - tracks.bottom);
  if (below == 0) return;
  panning_ = true;
  state.scroll.jump_to(state.scroll.position() + below * kPanPerSecond * seconds);
}

bool RangeGesture::follow(TimelineState& state) {
  panning_ = false;
  const bool held = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  moved_ = moved_ || ImGui::IsMouseDragging(ImGuiMouseButton_Left, kDragPx * state.scale);
  if (!state.marked.dragging()) {  // cancelled with Esc
    if (!held) source_ = Source::none;
    return false;
  }
  if (moved_ && held) pan_beyond_edges(state);
  if (moved_) {
    state.marked.drag_to(time_at_mouse(state));
    cover(state);
  }
  if (held) return false;
  state.marked.finish();  // a click on the ruler clears the range
  const bool made = moved_ && state.marked.range().has_value();
  source_ = Source::none;
  snapped_ns_.reset();
  return made;
}

void RangeGesture::measure_from(TimelineState& state, std::int64_t time_ns) {
  state.marked.begin(time_ns);
  source_ = Source::measure;
  moved_ = false;
}

// Follows the mouse during a measurement. The button covers ruler and tracks, so that the click that ends the
// range selects nothing.
bool RangeGesture::follow_measure(TimelineState& state) {
  const Box timed{state.boxes.tracks.left, state.boxes.ruler.top, state.boxes.scrollbar.left,
                  state.boxes.tracks.bottom};
  const bool clicked = pressed_on("measure", timed);
  const bool over = ImGui::IsItemHovered() || clicked;
  if (!state.marked.dragging()) {  // cancelled with Esc
    source_ = Source::none;
    snapped_ns_.reset();
    return false;
  }
  if (over) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    state.marked.drag_to(time_at_mouse(state));
  }
  if (!clicked) return false;
  state.marked.cover(std::nullopt);  // all tracks, as for a range marked on the ruler
  state.marked.finish();
  source_ = Source::none;
  snapped_ns_.reset();
  return state.marked.range().has_value();
}

bool RangeGesture::handle(TimelineState& state) {
  if (source_ == Source::measure) return follow_measure(state);
  if (source_ == Source::none) snapped_ns_.reset();
  place_edges(state);
  const bool on_edge = ImGui::IsAnyItemHovered();
  if (pressed_on("ruler", state.boxes.ruler)) press(state, Source::ruler);
  if (ImGui::IsItemHovered() && !on_edge && source_ == Source::none) time_at_mouse(state);
  const ImGuiIO& io = ImGui::GetIO();
  const bool hints = !state.drag_selects && io.KeyShift && source_ == Source::none && !on_edge;
  if (hints && ImGui::IsWindowHovered() && state.boxes.tracks.contains(io.MousePos.x, io.MousePos.y))
    time_at_mouse(state);
  return source_ != Source::none && follow(state);
}

void RangeGesture::draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const {
  const Box& ruler = state.boxes.ruler;
  const Box& tracks = state.boxes.tracks;
  const float line = std::max(1.0F, state.px(1));
  list.PushClipRect({ruler.left, ruler.top}, {tracks.right, tracks.bottom}, true);
  if (snapped_ns_ && ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) {
    const float x = std::floor(state.screen_x(*snapped_ns_)) + 0.5F;
    list.AddLine({x, ruler.bottom}, {x, tracks.bottom}, with_alpha(theme.accent, 0x70), line);
  }
  if (const std::optional<TimeRange>& range = state.marked.range()) {
    const float left = std::floor(state.screen_x(range->begin_ns)) + 0.5F;
    const float right = std::max(left, std::floor(state.screen_x(range->end_ns)) + 0.5F);
    const std::uint32_t shade = with_alpha(theme.accent, theme.dark ? 0x26 : 0x20);
    list.AddRectFilled({left, ruler.top}, {right, state.marked.tracks() ? tracks.top : tracks.bottom}, shade);
    if (state.marked.tracks()) shade_tracks(list, state, left, right, shade);
    for (const float x : {left, right})
      list.AddLine({x, ruler.top}, {x, tracks.bottom}, with_alpha(theme.accent, 0xd0), line);
    const float shown_left = std::clamp(left, ruler.left, ruler.right);
    const float shown_right = std::clamp(right, ruler.left, ruler.right);
    // Once the range is marked, its chip shows the duration.
    if (state.marked.dragging() && left < ruler.right && right > ruler.left) {
      const std::string text = ruler_duration_text(
          ruler_scale(state.navigation.view(), state.px(kTickDistancePx)), range->length_ns());
      const float padding = state.px(6);
      const float width = std::ceil(text_width(text)) + 2 * padding;
      const float height = std::min(ruler.height() - 2, std::ceil(ImGui::GetFontSize()) + state.px(4));
      const float most = std::max(ruler.left, ruler.right - width);
      const float x = std::floor(std::clamp((shown_left + shown_right - width) / 2, ruler.left, most));
      const float y = std::floor(ruler.top + (ruler.height() - height) / 2);
      list.AddRectFilled({x, y}, {x + width, y + height}, theme.accent, state.px(4));
      const float text_y = std::floor(y + (height - ImGui::GetFontSize()) / 2);
      list.AddText({x + padding, text_y}, theme.window, text.c_str());
    }
  }
  list.PopClipRect();
}

}  // namespace kino
