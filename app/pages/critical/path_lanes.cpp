#include "app/pages/critical/path_lanes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "app/pages/critical/forecast_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/saturating.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

/// A path to draw, in its own window.
struct ShownPath {
  std::span<const PathPiece> pieces;
  const LaneCells& cells;
  TimeRange window;
};

bool has_retimed(const CriticalState& state) {
  return state.retimed != nullptr && !state.chosen.empty() && !state.retimed->pieces.empty();
}

class PathLanes {
 public:
  PathLanes(ImDrawList& list, CriticalState& state) : list_(list), state_(state), axis_(path_axis(state)) {
    const Box& box = state.boxes.lanes;
    const float em = ImGui::GetFontSize();
    left_ = axis_.left;
    right_ = axis_.right;
    top_ = box.top + 0.4F * em;
    row_ = std::floor(std::clamp((box.height() - 6 * em) / 2, 1.4F * em, 3.6F * em));
  }

  void draw() {
    const float em = ImGui::GetFontSize();
    const CriticalContent& content = *state_.content;
    const float first = top_ + 1.6F * em;
    const float second = first + row_ + 0.6F * em;
    draw_axis(first, second + row_);
    draw_name(first, tr(Text::critical_lane), text_from_duration(content.window_ns()), state_.theme.text_dim);
    const ShownPath path{content.path.pieces, content.lane, content.graph.window};
    state_.boxes.path = {left_, first, x_of(path.window.length_ns()), first + row_};
    draw_lane(path, first);
    draw_steps(first);
    draw_selected(first);
    if (const PathPiece* const piece = handle_mouse("path", path, first)) state_.open_piece(*piece);
    draw_second(second);
    draw_legend(second + row_ + 0.5F * em);
  }

 private:
  float x_of(std::int64_t offset_ns) const { return axis_.x_of(offset_ns); }

  void draw_axis(float first, float bottom) const {
    const float width = right_ - left_;
    const TimeView view{.begin_ns = 0,
                        .ns_per_px = static_cast<double>(axis_.length_ns) / static_cast<double>(width),
                        .width_px = static_cast<double>(width)};
    const RulerScale scale = ruler_scale(view, 5.5F * ImGui::GetFontSize());
    for (std::int64_t at = 0; at <= axis_.length_ns;
         at = saturating_add(at, std::max<std::int64_t>(1, scale.step_ns))) {
      const float x = std::floor(x_of(at)) + 0.5F;
      list_.AddLine({x, first - state_.px(3)}, {x, bottom}, state_.theme.grid);
      const std::string words = tick_text(scale, at);
      if (x + text_width(words) < right_ + state_.px(16))
        list_.AddText({std::floor(x), top_}, state_.theme.text_dim, words.c_str());
      if (at == INT64_MAX) break;
    }
  }

  void draw_name(float y, const char* name, const std::string& note, std::uint32_t note_color) const {
    const float em = ImGui::GetFontSize();
    const float room = left_ - axis_.name - state_.px(8);
    draw_elided(list_, {axis_.name, std::floor(y)}, room, state_.theme.text, name);
    if (row_ >= 2.2F * em)
      draw_elided(list_, {axis_.name, std::floor(y + 1.2F * em)}, room, note_color, note);
  }

  /// Draws runs of equal causes, one cell per pixel at most.
  void draw_lane(const ShownPath& path, float y) const {
    if (path.cells.empty()) return;
    const float end = x_of(path.window.length_ns());
    const auto columns = static_cast<std::size_t>(std::max(1.0F, std::floor(end - left_)));
    std::size_t from = 0;
    PathCause cause = path.cells.front();
    const auto fill = [&](std::size_t to) {
      list_.AddRectFilled({left_ + static_cast<float>(from), y}, {left_ + static_cast<float>(to), y + row_},
                          cause_color(cause, state_.theme));
    };
    for (std::size_t column = 1; column < columns; ++column) {
      const PathCause next = path.cells[column * path.cells.size() / columns];
      if (next == cause) continue;
      fill(column);
      from = column;
      cause = next;
    }
    fill(columns);
  }

  /// Draws a line at the end of each step, unless they are too close.
  void draw_steps(float y) const {
    const CriticalContent& content = *state_.content;
    float drawn = left_;
    for (const GraphStep& step : content.steps) {
      const float x = std::floor(x_of(step.end_ns - content.graph.window.begin_ns)) + 0.5F;
      if (x < drawn + state_.px(6) || x > right_) continue;
      list_.AddLine({x, y - state_.px(4)}, {x, y + row_ + state_.px(3)}, state_.theme.text);
      drawn = x;
    }
  }

  void draw_selected(float y) const {
    const CriticalContent& content = *state_.content;
    if (!state_.piece || *state_.piece >= content.longest.size()) return;
    const TimeRange range = content.path.pieces[content.longest[*state_.piece]].range;
    const float from = std::floor(x_of(range.begin_ns - content.graph.window.begin_ns));
    const float to = std::max(from + 2, std::ceil(x_of(range.end_ns - content.graph.window.begin_ns)));
    list_.AddRect({from - 1, y - 1}, {to + 1, y + row_ + 1}, state_.theme.selection, 0, 0, state_.px(2));
  }

  /// Returns the piece that was clicked; null if none was.
  const PathPiece* handle_mouse(const char* id, const ShownPath& path, float y) const {
    const Box box{left_, y, std::max(left_ + 1, std::floor(x_of(path.window.length_ns()))), y + row_};
    place_button(id, box);
    if (!ImGui::IsItemHovered()) return nullptr;
    const std::size_t index = piece_at(
        path.pieces, saturating_add(path.window.begin_ns, axis_.offset_ns(ImGui::GetIO().MousePos.x)));
    if (index >= path.pieces.size()) return nullptr;
    wrapped_tooltip(piece_hint(state_, path.pieces[index], path.window));
    return ImGui::IsItemClicked() ? &path.pieces[index] : nullptr;
  }

  void draw_second(float y) {
    if (!state_.can_forecast()) return;
    if (!has_retimed(state_)) {
      draw_name(y, tr(Text::critical_lane_as_set), {}, state_.theme.text_dim);
      draw_elided(list_, {left_, std::floor(y + (row_ - ImGui::GetFontSize()) / 2)}, right_ - left_,
                  state_.theme.text_dim, tr(Text::critical_settings_needed));
      return;
    }
    const RetimedContent& retimed = *state_.retimed;
    const std::int64_t window_ns = state_.content->window_ns();
    const std::int64_t error_ns = bar_error_ns(retimed.forecast, window_ns);
    const std::int64_t change_ns = saturating_subtract(retimed.forecast.length_ns, window_ns);
    draw_name(y, tr(Text::critical_lane_as_set), change_share_text(change_ns, error_ns, window_ns),
              state_.theme.accent);
    const ShownPath path{retimed.pieces, retimed.lane, retimed.window};
    draw_lane(path, y);
    if (const PathPiece* const piece = handle_mouse("retimed", path, y))
      state_.open_slice(piece->slice, piece->rank);
    draw_range(retimed.forecast, y);
  }

  /// Draws the range of the forecast around the end of the lane, and its text if there is room.
  void draw_range(const Forecast& forecast, float y) const {
    const std::int64_t window_ns = state_.content->window_ns();
    const std::int64_t margin_ns = forecast.margin_ns(window_ns);
    const std::int64_t lowest_ns =
        std::max<std::int64_t>(0, saturating_subtract(forecast.lowest_ns, margin_ns));
    const std::int64_t highest_ns = saturating_add(forecast.highest_ns, margin_ns);
    const float from = std::floor(x_of(lowest_ns));
    const float to = std::min(right_, std::max(from + 1, std::floor(x_of(highest_ns))));
    list_.AddRectFilled({from, y - state_.px(2)}, {to, y + row_ + state_.px(2)},
                        with_alpha(state_.theme.accent, 72));
    const std::int64_t error_ns = bar_error_ns(forecast, window_ns);
    const std::string words =
        filled(Text::critical_predicted, {forecast_length_text(forecast.length_ns, error_ns, window_ns),
                                          forecast_length_text(lowest_ns, error_ns, window_ns),
                                          forecast_length_text(highest_ns, error_ns, window_ns)});
    const float left = to + state_.px(8);
    if (left + text_width(words) < right_) {
      list_.AddText({left, std::floor(y + (row_ - ImGui::GetFontSize()) / 2)}, state_.theme.accent,
                    words.c_str());
    }
  }

  /// Draws the causes of the path, those with the most time first.
  void draw_legend(float y) const {
    const float em = ImGui::GetFontSize();
    const float side = std::floor(0.7F * em);
    float x = left_;
    for (const PathRow& row : state_.content->tables[static_cast<std::size_t>(PathTab::cause)].rows) {
      const std::string words = in_language(title_of(row.cause));
      const float width = side + state_.px(6) + text_width(words) + 1.4F * em;
      if (x + width > right_ && x > left_) {
        x = left_;
        y += 1.4F * em;
      }
      if (y + em > state_.boxes.lanes.bottom) return;
      list_.AddRectFilled({x, y + std::floor((em - side) / 2)}, {x + side, y + std::floor((em + side) / 2)},
                          cause_color(row.cause, state_.theme));
      draw_elided(list_, {x + side + state_.px(6), y}, std::max(1.0F, right_ - x - side),
                  state_.theme.text_dim, words);
      x += width;
    }
  }

  ImDrawList& list_;
  CriticalState& state_;
  PathAxis axis_;
  float left_ = 0;
  float right_ = 1;
  float top_ = 0;
  float row_ = 1;
};

}  // namespace

std::int64_t PathAxis::offset_ns(float x) const {
  const double share = static_cast<double>(x - left) / static_cast<double>(std::max(1.0F, right - left));
  return static_cast<std::int64_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(length_ns));
}

PathAxis path_axis(const CriticalState& state) {
  const Box& box = state.boxes.lanes;
  PathAxis axis;
  axis.name = box.left + state.px(14);
  axis.left = std::floor(axis.name + std::min(10 * ImGui::GetFontSize(), box.width() * 0.25F));
  axis.right = std::max(axis.left + 1, std::floor(box.right - state.px(20)));
  axis.length_ns = state.content->window_ns();
  if (has_retimed(state)) axis.length_ns = std::max(axis.length_ns, state.retimed->window.length_ns());
  axis.length_ns = std::max<std::int64_t>(1, axis.length_ns);
  return axis;
}

std::string piece_hint(const CriticalState& state, const PathPiece& piece, TimeRange window) {
  constexpr std::size_t kMostNameBytes = 400;
  const ActivityGraph& graph = state.content->graph;
  std::string words = escaped(head_of(piece_name(graph, piece), kMostNameBytes));
  words.append("\n").append(in_language(title_of(piece.cause)));
  if (state.of_job())
    words.append("\n").append(filled(Text::job_rank, {std::to_string(graph.ranks[piece.rank].rank)}));
  const double part = static_cast<double>(piece.range.length_ns()) /
                      static_cast<double>(std::max<std::int64_t>(1, window.length_ns()));
  words.append("\n").append(
      filled(Text::critical_piece_times, {text_from_duration(piece.range.length_ns()), text_from_share(part),
                                          text_from_duration(piece.range.begin_ns - window.begin_ns)}));
  words.append("\n").append(tr(state.of_job() ? Text::critical_rank_hint : Text::critical_lane_hint));
  return words;
}

void draw_path_lanes(ImDrawList& list, CriticalState& state) {
  list.PushClipRect(left_top(state.boxes.lanes), right_bottom(state.boxes.lanes), true);
  PathLanes(list, state).draw();
  list.PopClipRect();
}

}  // namespace kino
