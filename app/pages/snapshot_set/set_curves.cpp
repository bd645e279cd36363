#include "app/pages/snapshot_set/set_curves.hpp"

#include <algorithm>
#include <cmath>

#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/picture_key.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {

std::vector<CurveColumn> curve_columns(const SnapshotSums& sums, const std::vector<double>& places,
                                       double end, double begin, double units_per_px, std::size_t width) {
  std::vector<CurveColumn> columns(width);
  const auto column_of = [&](double units) {
    return std::clamp(std::floor((units - begin) / units_per_px), -1.0, static_cast<double>(width));
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    const SumPoint& point = sums.curve[i];
    const double next = i + 1 < places.size() ? places[i + 1] : end;
    const double from = column_of(places[i]);
    const double to = column_of(next);
    if (to < 0 || from >= static_cast<double>(width)) continue;
    // The value extends to the column of the next point, in which the curve changes to the next value.
    const auto first = static_cast<std::size_t>(std::max(0.0, from));
    const auto end_column = std::min(width, static_cast<std::size_t>(to) + 1);
    for (std::size_t x = first; x < end_column; ++x) {
      CurveColumn& column = columns[x];
      const bool only_step = x + 1 == end_column && to > from && to < static_cast<double>(width);
      const std::uint64_t low = only_step ? point.last : point.lowest;
      const std::uint64_t high = only_step ? point.last : point.highest;
      column.lowest = column.any ? std::min(column.lowest, low) : low;
      column.highest = column.any ? std::max(column.highest, high) : high;
      column.any = true;
    }
  }
  return columns;
}

std::uint32_t SetCurves::color_of(const SetState& state, std::uint32_t member) {
  const SnapshotSet& set = state.picture->set;
  if (set.members[member].sums.out_of_memory) return state.theme.error;
  if (set.outlier[member]) return state.theme.warning;
  if (member == set.median) return state.theme.counter;
  return mixed(state.theme.track_area, state.theme.text_dim, 0.55);
}

std::optional<std::uint32_t> SetCurves::curve_at(const SetState& state, ImVec2 mouse) {
  const SnapshotSet* const set = state.set();
  if (set == nullptr || !state.boxes.plot.contains(mouse.x, mouse.y)) return std::nullopt;
  const TimeView& view = state.navigation.view();
  const Box& plot = state.boxes.plot;
  const double units = view.begin_ns + (mouse.x - plot.left) * view.ns_per_px;
  const double per_px = state.bytes.per_px(plot.height());
  const double bytes = state.bytes.low() + (plot.bottom - mouse.y) * per_px;
  std::optional<std::uint32_t> best;
  constexpr double kPickPx = 9;
  double nearest = state.px(kPickPx);
  // Outliers are tested first, so that they are preferred at equal distance.
  for (const std::uint32_t i : set->order) {
    // Also tests the columns beside the mouse, so that steep parts of a curve can be hit.
    for (const int dx : {0, -2, 2}) {
      const auto at = state.places.point_at(i, units + dx * view.ns_per_px);
      if (!at) continue;
      const SumPoint& point = set->members[i].sums.curve[*at];
      const auto low = static_cast<double>(point.lowest);
      const auto high = static_cast<double>(point.highest);
      const double away = bytes < low ? low - bytes : bytes > high ? bytes - high : 0;
      if (away / per_px + std::abs(dx) >= nearest) continue;
      nearest = away / per_px + std::abs(dx);
      best = i;
    }
  }
  return best;
}

void SetCurves::handle(SetState& state) {
  state.hovered.reset();
  const Box& plot = state.boxes.plot;
  if (plot.width() < 1 || plot.height() < 1) return;
  place_button("curves", plot, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
  const ImGuiIO& io = ImGui::GetIO();
  const bool over = ImGui::IsItemHovered();
  if (ImGui::IsItemActivated()) {
    dragging_ = false;
    dragged_px_ = 0;
  }
  if (ImGui::IsItemActive()) {
    dragged_px_ += std::abs(io.MouseDelta.x) + std::abs(io.MouseDelta.y);
    dragging_ = dragging_ || dragged_px_ > state.px(kDragPx);
    if (dragging_) state.navigation.drag_px(-io.MouseDelta.x);
  } else if (ImGui::IsItemDeactivated() && !dragging_ && over) {
    const std::optional<std::uint32_t> hit = curve_at(state, io.MousePos);
    const bool twice = io.MouseClickedLastCount[ImGuiMouseButton_Left] >= 2;
    if (twice && hit) state.request_open(*hit);
    if (!twice) state.select(hit);
  }
  if (over && !dragging_) state.hovered = curve_at(state, io.MousePos);
  if (!over) return;
  const double notch = static_cast<double>(plot.width()) * kWheelPanShare;
  if (io.MouseWheelH != 0) state.navigation.pan_px(-io.MouseWheelH * notch);
  if (io.MouseWheel == 0) return;
  if (io.KeyShift) {
    state.navigation.pan_px(-io.MouseWheel * notch);
  } else if (io.KeyCtrl) {
    state.bytes.zoom_at((plot.bottom - io.MousePos.y) / plot.height(), std::pow(kWheelZoom, io.MouseWheel));
  } else {
    state.navigation.zoom_at(io.MousePos.x - plot.left, std::pow(kWheelZoom, io.MouseWheel));
  }
}

/// Paints all curves into one picture, because lines of a thousand ranks would take longer than a frame.
void SetCurves::paint(const SetState& state, std::size_t width, std::size_t height) {
  const TimeView& view = state.navigation.view();
  const Painted now{state.picture,     state.places.axis,  view.begin_ns, view.ns_per_px,
                    state.bytes.low(), state.bytes.high(), width,         height,
                    state.theme.dark};
  if (painted_ == now) return;
  painted_ = now;
  std::vector<std::uint32_t> pixels(width * height, state.theme.track_area);
  const SnapshotSet& set = state.picture->set;
  const auto rows = static_cast<double>(height);
  const auto row_of = [&](std::uint64_t bytes) {
    const double up = state.bytes.px_from_bytes(static_cast<double>(bytes), rows);
    return static_cast<std::size_t>(std::clamp(rows - 1 - up, 0.0, rows - 1));
  };
  // The most typical members are painted first, so that outliers are on top.
  for (std::size_t i = set.order.size(); i-- > 0;) {
    const std::uint32_t member = set.order[i];
    const std::vector<CurveColumn> columns =
        curve_columns(set.members[member].sums, state.places.of_point[member], state.places.end[member],
                      view.begin_ns, view.ns_per_px, width);
    const std::uint32_t color = color_of(state, member);
    for (std::size_t x = 0; x < width; ++x) {
      if (!columns[x].any) continue;
      const std::size_t bottom = row_of(columns[x].lowest);
      for (std::size_t y = row_of(columns[x].highest); y <= bottom; ++y) pixels[y * width + x] = color;
    }
  }
  texture_.set(static_cast<int>(width), static_cast<int>(height), pixels);
}

void SetCurves::draw_line(ImDrawList& list, const SetState& state, std::uint32_t member, std::uint32_t color,
                          float thickness) const {
  const Box& plot = state.boxes.plot;
  const TimeView& view = state.navigation.view();
  const std::vector<CurveColumn> columns =
      curve_columns(state.picture->set.members[member].sums, state.places.of_point[member],
                    state.places.end[member], view.begin_ns, view.ns_per_px, painted_.width);
  const auto y_of = [&](std::uint64_t bytes) {
    const double up = state.bytes.px_from_bytes(static_cast<double>(bytes), plot.height());
    return plot.bottom - static_cast<float>(up);
  };
  list.PushClipRect(left_top(plot), right_bottom(plot), true);
  for (std::size_t x = 0; x < columns.size();) {
    std::size_t same = x + 1;
    const CurveColumn& column = columns[x];
    while (same < columns.size() && columns[same].any == column.any &&
           columns[same].lowest == column.lowest && columns[same].highest == column.highest)
      ++same;
    if (column.any) {
      list.AddRectFilled({plot.left + static_cast<float>(x), y_of(column.highest) - thickness},
                         {plot.left + static_cast<float>(same), y_of(column.lowest)}, color);
    }
    x = same;
  }
  list.PopClipRect();
}

void SetCurves::draw_rulers(ImDrawList& list, const SetState& state) const {
  constexpr double kByteTickPx = 44;
  constexpr double kTickPx = 110;
  const SetBoxes& boxes = state.boxes;
  const Theme& theme = state.theme;
  list.AddRectFilled({boxes.corner.left, boxes.corner.top}, {boxes.ruler.right, boxes.ruler.bottom},
                     theme.panel);
  list.AddRectFilled(left_top(boxes.bytes), right_bottom(boxes.bytes), theme.panel);
  const ByteTicks ticks = byte_ticks(state.bytes.low(), state.bytes.high(),
                                     boxes.plot.height() / (kByteTickPx * static_cast<double>(state.scale)));
  const float half = std::floor(ImGui::GetFontSize() / 2);
  for (const std::uint64_t tick : ticks.at) {
    const double up = state.bytes.px_from_bytes(static_cast<double>(tick), boxes.plot.height());
    const float y = std::floor(boxes.plot.bottom - static_cast<float>(up)) + 0.5F;
    list.AddLine({boxes.plot.left, y}, {boxes.plot.right, y}, theme.grid);
    if (y - half < boxes.bytes.top || y + half > boxes.bytes.bottom) continue;  // clipped labels mislead
    const std::string text = byte_tick_text(tick, ticks.step, state.bytes.high());
    const float x = std::floor(boxes.bytes.right - state.px(8) - text_width(text));
    list.AddText({std::max(x, boxes.bytes.left + 2), y - half - 1}, theme.text_dim, text.c_str());
  }
  const TimeView& view = state.navigation.view();
  RulerScale scale = ruler_scale(view, kTickPx * static_cast<double>(state.scale));
  const bool by_time = state.places.axis != SetAxis::events;
  if (!by_time && scale.step_ns < SetPositions::kUnitsPerEvent) {
    scale.step_ns = SetPositions::kUnitsPerEvent;
    scale.minor_ns = 0;
  }
  draw_grid(list, view, scale, left_top(boxes.plot), right_bottom(boxes.plot), theme);
  if (by_time) {
    draw_ruler(list, view, scale, left_top(boxes.ruler), right_bottom(boxes.ruler), {}, theme, state.scale);
    return;
  }
  const float y = std::floor(boxes.ruler.top + (boxes.ruler.height() - ImGui::GetFontSize()) / 2);
  list.PushClipRect(left_top(boxes.ruler), right_bottom(boxes.ruler), true);
  const std::int64_t first =
      std::max<std::int64_t>(0, static_cast<std::int64_t>(view.begin_ns)) / scale.step_ns;
  for (std::int64_t i = first; static_cast<double>(i * scale.step_ns) <= view.end_ns(); ++i) {
    const auto units = static_cast<double>(i * scale.step_ns);
    const float x = std::floor(boxes.plot.left + static_cast<float>(view.px_from_ns(units))) + 0.5F;
    list.AddLine({x, boxes.ruler.bottom - state.px(9)}, {x, boxes.ruler.bottom}, theme.text_dim);
    const std::string text =
        grouped(static_cast<std::uint64_t>(i * scale.step_ns / SetPositions::kUnitsPerEvent));
    list.AddText({x + state.px(5), y}, theme.text_dim, text.c_str());
  }
  list.PopClipRect();
}

void SetCurves::draw(ImDrawList& list, const SetState& state) {
  const Box& plot = state.boxes.plot;
  list.AddRectFilled(left_top(plot), right_bottom(plot), state.theme.track_area);
  if (state.set() == nullptr || plot.width() < 8 || plot.height() < 8) return;
  const auto width = static_cast<std::size_t>(plot.width());
  const auto height = static_cast<std::size_t>(plot.height());
  paint(state, width, height);
  add_image(list, texture_, left_top(plot),
            {plot.left + static_cast<float>(width), plot.top + static_cast<float>(height)});
  draw_rulers(list, state);
  if (state.selected) draw_line(list, state, *state.selected, state.theme.selection, state.px(2));
  if (state.hovered && state.hovered != state.selected)
    draw_line(list, state, *state.hovered, with_alpha(state.theme.accent, 230), state.px(2));
  list.AddLine({plot.left - 0.5F, state.boxes.ruler.top}, {plot.left - 0.5F, plot.bottom},
               state.theme.border);
  list.AddLine({state.boxes.corner.left, plot.top - 0.5F}, {plot.right, plot.top - 0.5F}, state.theme.border);
  if (state.hovered && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) draw_card(state);
}

void SetCurves::draw_card(const SetState& state) const {
  const SnapshotSet& set = state.picture->set;
  const std::uint32_t member = *state.hovered;
  const SnapshotSums& sums = set.members[member].sums;
  const TimeView& view = state.navigation.view();
  const double units = view.begin_ns + (ImGui::GetIO().MousePos.x - state.boxes.plot.left) * view.ns_per_px;
  ImGui::BeginTooltip();
  colored_text(color_of(state, member), escaped(in_language(set.names[member])));
  if (const auto at = state.places.point_at(member, units)) {
    colored_text(state.theme.text, filled(Text::set_card_bytes, {shown_bytes_text(sums.curve[*at].highest),
                                                                 shown_bytes_text(sums.peak_bytes)}));
  }
  if (sums.out_of_memory) {
    colored_text(state.theme.error,
                 filled(Text::set_failed, {shown_bytes_text(sums.out_of_memory->asked),
                                           shown_bytes_text(sums.out_of_memory->device_free)}));
  }
  colored_text(state.theme.text_dim, tr(Text::set_open_hint));
  ImGui::EndTooltip();
}

}  // namespace kino
