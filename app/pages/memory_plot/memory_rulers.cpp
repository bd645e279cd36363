#include "app/pages/memory_plot/memory_rulers.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/pages/memory_plot/step_ticks.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr double kEventTickPx = 110;
constexpr double kByteTickPx = 44;
constexpr double kStepTickPx = 64;

std::vector<StepTick> ticks_in_sight(const SnapshotState& state) {
  const TimeView& view = state.navigation.view();
  return step_ticks(*state.snapshot, state.axis(), view.begin_ns, view.end_ns(), view.ns_per_px,
                    kStepTickPx * state.scale);
}

/// Returns the x of a tick: the middle of a pixel, so that its line is sharp.
float x_of_tick(const SnapshotState& state, double units) {
  return std::floor(state.boxes.plot.left + static_cast<float>(state.navigation.view().px_from_ns(units))) +
         0.5F;
}

// The name of a step that started left of the view is at the left edge of the view.
void draw_step_ticks(ImDrawList& list, const SnapshotState& state, float text_y, const Theme& theme) {
  const Box& box = state.boxes.ruler;
  const float gap = 5 * state.scale;
  list.PushClipRect({box.left, box.top}, {box.right, box.bottom}, true);
  for (const StepTick& tick : ticks_in_sight(state)) {
    const float x = x_of_tick(state, tick.begin_units);
    list.AddLine({x, tick.border ? box.top : box.bottom - 9 * state.scale}, {x, box.bottom}, theme.text_dim);
    const float left = std::max(x, box.left) + gap;
    const float room = std::min(x_of_tick(state, tick.end_units), box.right) - gap - left;
    const std::string& words = text_width(tick.text) <= room ? tick.text : tick.brief;
    if (text_width(words) > room) continue;
    list.AddText({left, text_y}, tick.border ? theme.text : theme.text_dim, words.c_str());
  }
  list.PopClipRect();
}

}  // namespace

void draw_byte_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme) {
  const Box& box = state.boxes.bytes;
  const Box& plot = state.boxes.plot;
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme.panel);
  list.AddLine({box.right - 0.5F, box.top}, {box.right - 0.5F, box.bottom}, theme.border);
  const double low = state.bytes.low();
  const double high = state.bytes.high();
  const ByteTicks ticks = byte_ticks(low, high, plot.height() / (kByteTickPx * state.scale));
  const float half = std::floor(ImGui::GetFontSize() / 2);
  for (const std::uint64_t tick : ticks.at) {
    const float y = std::floor(state.y_of(static_cast<double>(tick))) + 0.5F;
    list.AddLine({plot.left, y}, {plot.right, y}, theme.grid);
    list.AddLine({box.right - 5 * state.scale, y}, {box.right, y}, theme.text_dim);
    if (y - half < box.top || y + half > box.bottom) continue;  // a clipped label could be misread
    const std::string text = byte_tick_text(tick, ticks.step, high);
    const float x = std::floor(box.right - 8 * state.scale - text_width(text));
    list.AddText({std::max(x, box.left + 2), y - half - 1}, theme.text_dim, text.c_str());
  }
}

void draw_event_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme) {
  const Box& corner = state.boxes.corner;
  const Box& box = state.boxes.ruler;
  const Box& plot = state.boxes.plot;
  list.AddRectFilled({corner.left, corner.top}, {box.right, box.bottom}, theme.panel);
  list.AddLine({corner.left, box.bottom - 0.5F}, {box.right, box.bottom - 0.5F}, theme.border);
  const float text_y = std::floor(corner.top + (corner.height() - ImGui::GetFontSize()) / 2);
  const auto name_axis = [&](const std::string& words) {
    draw_elided(list, {corner.left + 8 * state.scale, text_y}, corner.width() - 12 * state.scale,
                theme.text_dim, words);
  };
  const SnapshotAxis& axis = state.axis();
  if (axis.kind() == SnapshotAxisKind::steps) {
    name_axis(tr(axis.steps()->region.empty() ? Text::snapshot_axis_parts : Text::snapshot_axis_steps));
    draw_step_ticks(list, state, text_y, theme);
    return;
  }
  const TimeView& view = state.navigation.view();
  RulerScale scale = ruler_scale(view, kEventTickPx * state.scale);
  const bool by_time = axis.kind() == SnapshotAxisKind::time;
  if (!by_time && scale.step_ns < SnapshotAxis::kUnitsPerEvent) {
    scale.step_ns = SnapshotAxis::kUnitsPerEvent;
    scale.minor_ns = 0;
  }
  draw_grid(list, view, scale, {plot.left, plot.top}, {plot.right, plot.bottom}, theme);
  if (by_time) {
    const std::string base = base_text(scale);
    name_axis(base.empty() ? tr(Text::snapshot_axis_time) : base);
    draw_ruler(list, view, scale, {box.left, box.top}, {box.right, box.bottom}, {}, theme, state.scale);
    return;
  }
  name_axis(tr(Text::snapshot_axis_events));
  list.PushClipRect({box.left, box.top}, {box.right, box.bottom}, true);
  const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(view.begin_ns));
  const auto end = static_cast<std::int64_t>(view.end_ns());
  for (std::int64_t at = (first + scale.step_ns - 1) / scale.step_ns * scale.step_ns; at <= end;
       at += scale.step_ns) {
    const float x =
        std::floor(box.left + static_cast<float>(view.px_from_ns(static_cast<double>(at)))) + 0.5F;
    list.AddLine({x, box.bottom - 9 * state.scale}, {x, box.bottom}, theme.text_dim);
    const std::string text = std::to_string(static_cast<std::uint64_t>(at / SnapshotAxis::kUnitsPerEvent));
    if (x + 9 * state.scale + text_width(text) > box.right) continue;
    list.AddText({x + 5 * state.scale, text_y}, theme.text_dim, text.c_str());
  }
  list.PopClipRect();
}

void draw_step_borders(ImDrawList& list, const SnapshotState& state, const Theme& theme) {
  if (state.axis().kind() != SnapshotAxisKind::steps) return;
  const Box& plot = state.boxes.plot;
  const std::uint32_t border = (theme.text & 0xffffffU) | 0x70000000U;  // visible over bands of any color
  for (const StepTick& tick : ticks_in_sight(state)) {
    const float x = x_of_tick(state, tick.begin_units);
    if (tick.border && x >= plot.left && x < plot.right)
      list.AddLine({x, plot.top}, {x, plot.bottom}, border);
  }
}

}  // namespace kino
