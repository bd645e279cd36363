#include "app/pages/timeline/flow_arrows.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kStrong = 8;  // largest number of arrows that are drawn at full strength

/// Vertical position of an arrow's end, from the top of the tracks: the middle of the slice. If the slice is
/// hidden, the bottom of its track or the middle of its group's header.
struct Height {
  double y_px = 0;
  bool shown = true;
  bool pinned = false;
};

std::optional<Height> height_of(const TimelineState& state, SliceId slice) {
  const TrackLayout& layout = state.layout;
  const LayoutMeasures& measures = layout.measures();
  if (const auto lane = state.lane_of(slice))
    return Height{lane->y_px + (lane->height_px - measures.gap_px) / 2, true, lane->pinned};
  const std::uint32_t track = index_of(state.rows().row_at(layout.row_of(slice)).track);
  const TrackScroll scroll = state.shown_scroll();
  if (const LayoutItem* item = layout.item_of(track)) {
    return Height{layout.y_of(*item, item->bottom_px() - measures.padding_px / 2, scroll), false,
                  item->pinned};
  }
  const LayoutItem* group = layout.group_item(state.rows().track_at(track).process);
  if (group == nullptr) return std::nullopt;
  return Height{layout.y_of(*group, scroll) + group->height_px / 2, false};
}

/// Clamps x to one screen width beyond the view, within which floats are precise and curves keep their shape.
float near_x(const TimelineState& state, double ns) {
  const TimeView& view = state.navigation.view();
  const double px = std::clamp(view.px_from_ns(ns), -view.width_px, 2 * view.width_px);
  return state.boxes.tracks.left + static_cast<float>(px);
}

std::uint32_t color_of(ArrowKind kind, const Theme& theme) {
  if (kind == ArrowKind::launch) return theme.accent;
  return kind == ArrowKind::forward_backward ? theme.warning : theme.text;
}

std::uint32_t faded(std::uint32_t color, float strength) {
  const auto alpha = static_cast<std::uint32_t>(std::lround(255 * strength));
  return (color & 0xffffffU) | alpha << 24;
}

void draw_head(ImDrawList& list, ImVec2 tip, ImVec2 from, float size, std::uint32_t color) {
  const float dx = tip.x - from.x;
  const float dy = tip.y - from.y;
  const float length = std::max(0.001F, std::sqrt(dx * dx + dy * dy));
  const ImVec2 along{dx / length * size, dy / length * size};
  const ImVec2 across{-along.y * 0.5F, along.x * 0.5F};
  list.AddTriangleFilled(tip, {tip.x - along.x + across.x, tip.y - along.y + across.y},
                         {tip.x - along.x - across.x, tip.y - along.y - across.y}, color);
}

void draw_curve(ImDrawList& list, const ArrowCurve& curve, std::uint32_t color, std::uint32_t halo,
                float ui_scale) {
  const auto& [from, leave, arrive, to] = curve.points;
  const float width = std::max(1.0F, 1.5F * ui_scale);
  list.AddBezierCubic(from, leave, arrive, to, halo, width + 2 * ui_scale);
  list.AddBezierCubic(from, leave, arrive, to, color, width);
  // The curve ends in the direction from its last control point to its end.
  const ImVec2 toward = curve.to_shown ? ImVec2{to.x - 1, to.y} : arrive;
  draw_head(list, to, toward, 7 * ui_scale, color);
  if (curve.from_shown) list.AddCircleFilled(from, 2.5F * ui_scale, color);
}

void draw_note(ImDrawList& list, const Box& tracks, const std::string& note, const Theme& theme,
               float ui_scale) {
  const float padding = std::round(6 * ui_scale);
  const float width = std::ceil(text_width(note)) + 2 * padding;
  const float height = ImGui::GetFontSize() + padding;
  const ImVec2 at{std::max(tracks.left, tracks.right - width - std::round(20 * ui_scale)),
                  tracks.bottom - height - std::round(6 * ui_scale)};
  list.AddRectFilled(at, {at.x + width, at.y + height}, theme.panel, 4 * ui_scale);
  list.AddRect(at, {at.x + width, at.y + height}, theme.border, 4 * ui_scale);
  draw_elided(list, {at.x + padding, at.y + std::floor(padding / 2)}, width - 2 * padding + 1, theme.text_dim,
              note);
}

std::string note_of(const FlowArrows& flows, bool all_in_view) {
  const std::string shown = grouped(flows.arrows.size());
  if (all_in_view) {
    if (flows.total > flows.arrows.size() || flows.more)
      return filled(Text::flows_some_in_view, {shown, grouped(flows.total)});
    return flows.arrows.empty() ? tr(Text::flows_none_in_view) : filled(Text::flows_all_in_view, {shown});
  }
  if (flows.total <= flows.arrows.size() && !flows.more) return {};
  return filled(flows.more ? Text::flows_some_of_many : Text::flows_some, {shown, grouped(flows.total)});
}

}  // namespace

std::optional<ArrowCurve> arrow_curve(const TimelineState& state, const FlowArrow& arrow) {
  const Trace& trace = *state.trace;
  const Box& tracks = state.boxes.tracks;
  const auto from_height = height_of(state, arrow.from);
  const auto to_height = height_of(state, arrow.to);
  if (!from_height || !to_height) return std::nullopt;

  const std::int64_t to_ns = trace.start_ns(arrow.to);
  const std::int64_t from_ns = std::clamp(to_ns, trace.start_ns(arrow.from), trace.end_ns(arrow.from));
  const float from_x = near_x(state, static_cast<double>(from_ns));
  const float to_x = near_x(state, static_cast<double>(to_ns));
  const float reach = std::round(40 * state.scale);
  if (std::max(from_x, to_x) + reach < tracks.left || std::min(from_x, to_x) - reach > tracks.right)
    return std::nullopt;

  const float margin = std::round(2 * state.scale);
  ArrowCurve curve;
  const auto place = [&](const Height& height, bool& shown) {
    const double y = tracks.top + height.y_px;
    const TimelineState::Part room = state.part(height.pinned);
    const double bottom = tracks.top + room.bottom_px - margin;
    const double inside = std::clamp<double>(y, std::min(tracks.top + room.top_px + margin, bottom), bottom);
    shown = height.shown && inside == y;
    return static_cast<float>(inside);
  };
  const float from_y = place(*from_height, curve.from_shown);
  const float to_y = place(*to_height, curve.to_shown);
  if (!curve.from_shown && !curve.to_shown && from_y == to_y &&
      (from_y <= tracks.top + margin || from_y >= tracks.bottom - margin)) {
    return std::nullopt;  // both ends are beyond the same edge
  }
  const float bend = std::clamp(std::abs(to_x - from_x) * 0.4F, 24 * state.scale, 160 * state.scale);
  curve.points = {ImVec2{from_x, from_y}, {from_x + bend, from_y}, {to_x - bend, to_y}, {to_x, to_y}};
  // At an edge, the arrow points outwards.
  if (!curve.to_shown) curve.points[2] = {to_x, from_y < to_y ? to_y - bend : to_y + bend};
  if (!curve.from_shown) curve.points[1] = {from_x, to_y < from_y ? from_y - bend : from_y + bend};
  return curve;
}

void draw_flow_arrows(ImDrawList& list, const TimelineState& state, const FlowArrows& flows, bool all_in_view,
                      const Theme& theme) {
  const Box& tracks = state.boxes.tracks;
  list.PushClipRect({tracks.left, tracks.top}, {tracks.right, tracks.bottom}, true);
  const std::size_t count = flows.arrows.size();
  const float strength = count <= kStrong ? 1.0F : all_in_view ? 0.5F : 0.7F;
  const std::uint32_t halo = faded(theme.track_area, 0.55F * strength);
  bool drawn = false;
  for (const FlowArrow& arrow : flows.arrows) {
    const auto curve = arrow_curve(state, arrow);
    drawn = drawn || curve.has_value();
    if (curve) draw_curve(list, *curve, faded(color_of(arrow.kind, theme), strength), halo, state.scale);
  }
  const std::string note = note_of(flows, all_in_view);
  // The number of the selection's arrows is omitted if no arrow is visible.
  if (!note.empty() && (drawn || all_in_view)) draw_note(list, tracks, note, theme, state.scale);
  list.PopClipRect();
}

}  // namespace kino
