#include "app/pages/timeline/pointing/distance_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"

namespace kino {
namespace {

constexpr float kLinePx = 24;  // distance between two lines, at scale 1

struct DistanceLine {
  Text text;
  TimeRange range;
};

std::array<DistanceLine, 3> lines_of(const SliceDistances& distances) {
  return {{{distances.overlap ? Text::measure_overlap : Text::measure_gap, distances.gap},
           {Text::measure_starts, distances.starts},
           {Text::measure_ends, distances.ends}}};
}

/// Returns the bottom of a slice on screen, clamped to the tracks; their top if its lane is hidden.
float bottom_of(const TimelineState& state, SliceId slice) {
  const Box& tracks = state.boxes.tracks;
  const auto lane = slice != kNoSlice ? state.lane_of(slice) : std::nullopt;
  if (!lane) return tracks.top;
  const auto bottom = tracks.top + static_cast<float>(lane->y_px) + lane->height_px;
  return std::clamp(bottom, tracks.top, tracks.bottom);
}

class LineDrawing {
 public:
  LineDrawing(ImDrawList& list, const TimelineState& state, const Theme& theme)
      : list_(list), state_(state), theme_(theme), width_(std::max(1.0F, state.px(1))) {}

  /// Draws a vertical line from a slice's bottom to a line's height.
  void edge(std::int64_t time_ns, float from_y, float to_y) {
    const float x = std::floor(state_.screen_x(time_ns)) + 0.5F;
    list_.AddLine({x, from_y}, {x, to_y}, with_alpha(theme_.selection, 0x80), width_);
  }

  void line(TimeRange range, float y, const std::string& label) {
    const Box& tracks = state_.boxes.tracks;
    const float right_end = state_.boxes.scrollbar.left;
    const float left = std::floor(state_.screen_x(range.begin_ns)) + 0.5F;
    const float right = std::floor(state_.screen_x(range.end_ns)) + 0.5F;
    const float tick = state_.px(4);
    list_.AddLine({left, y}, {right, y}, theme_.selection, 2 * width_);
    for (const float x : {left, right})
      list_.AddLine({x, y - tick}, {x, y + tick + width_}, theme_.selection, width_);
    const float padding = state_.px(6);
    const float width = std::ceil(text_width(label)) + 2 * padding;
    // A label that does not fit between the ends is to the right of them.
    const float shown_left = std::clamp(left, tracks.left, right_end);
    const float shown_right = std::clamp(right, tracks.left, right_end);
    const bool fits = shown_right - shown_left >= width + 4 * tick;
    const float wanted = fits ? (shown_left + shown_right - width) / 2 : shown_right + 2 * tick;
    const float x = std::floor(std::clamp(wanted, tracks.left, std::max(tracks.left, right_end - width)));
    const float half = std::floor(ImGui::GetFontSize() / 2) + state_.px(2);
    list_.AddRectFilled({x, y - half}, {x + width, y + half}, theme_.panel, state_.px(4));
    list_.AddRect({x, y - half}, {x + width, y + half}, theme_.selection, state_.px(4));
    list_.AddText({x + padding, std::floor(y - ImGui::GetFontSize() / 2)}, theme_.text, label.c_str());
  }

 private:
  ImDrawList& list_;
  const TimelineState& state_;
  const Theme& theme_;
  float width_;
};

}  // namespace

void DistanceLines::measure(const TimelineState& state, const MeasuredPlace& place) {
  from_ = state.selection.slice;
  to_ = place;
}

void DistanceLines::draw(ImDrawList& list, const TimelineState& state, const Theme& theme) {
  if (to_ && (from_ == kNoSlice || state.selection.slice != from_)) to_.reset();
  if (!to_) return;
  const Box& tracks = state.boxes.tracks;
  const TimeRange from = state.trace->range_of(from_);
  const auto lines = lines_of(distances_between(from, to_->range));
  const float step = state.px(kLinePx);
  const float from_y = bottom_of(state, from_);
  const float to_y = bottom_of(state, to_->slice);
  const float room = tracks.bottom - step * (static_cast<float>(lines.size()) - 0.5F);
  const float first = std::floor(std::max(tracks.top + step, std::min(std::max(from_y, to_y) + step, room)));
  const float last = first + step * static_cast<float>(lines.size() - 1);
  list.PushClipRect(left_top(tracks), right_bottom(tracks), true);
  LineDrawing drawing(list, state, theme);
  for (const std::int64_t time_ns : {from.begin_ns, from.end_ns})
    drawing.edge(time_ns, std::min(from_y, first), last);
  for (const std::int64_t time_ns : {to_->range.begin_ns, to_->range.end_ns})
    drawing.edge(time_ns, std::min(to_y, first), last);
  const RulerScale ticks = ruler_scale(state.navigation.view(), state.px(kTickDistancePx));
  float y = first + 0.5F;
  for (const DistanceLine& line : lines) {
    std::string label = filled(line.text, {ruler_duration_text(ticks, line.range.length_ns())});
    if (to_->free) label += std::string(" · ") + tr(Text::measure_free);
    drawing.line(line.range, y, label);
    y += step;
  }
  list.PopClipRect();
}

nlohmann::ordered_json DistanceLines::test_state(const Trace& trace) const {
  if (!to_) return {};
  const SliceDistances distances = distances_between(trace.range_of(from_), to_->range);
  return {{"gap", distances.gap.length_ns()},
          {"overlap", distances.overlap},
          {"starts", distances.starts.length_ns()},
          {"ends", distances.ends.length_ns()},
          {"free", to_->free}};
}

}  // namespace kino
