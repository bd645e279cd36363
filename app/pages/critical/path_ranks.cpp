#include "app/pages/critical/path_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <imgui.h>

#include "app/pages/critical/path_lanes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

class PathRanks {
 public:
  explicit PathRanks(CriticalState& state)
      : state_(state),
        axis_(path_axis(state)),
        list_(*ImGui::GetWindowDrawList()),
        top_(ImGui::GetCursorScreenPos().y),
        row_(rank_row_height()),
        end_(std::max(axis_.left + 1, std::floor(axis_.x_of(state.content->window_ns())))),
        columns_(static_cast<std::size_t>(std::max(1.0F, end_ - axis_.left))) {}

  void draw() {
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(state_.content->ranks.lanes.size()), row_);
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) draw_row(static_cast<std::uint32_t>(i));
    }
    draw_changes();
  }

 private:
  float top_of(std::uint32_t row) const { return top_ + static_cast<float>(row) * row_; }
  Box lane_of(std::uint32_t row) const {
    const float inset = std::floor(row_ * 0.2F);
    return {axis_.left, top_of(row) + inset, end_, top_of(row) + row_ - inset};
  }
  std::size_t cell_of(std::size_t column) const { return column * kLaneCells / columns_; }

  void draw_row(std::uint32_t row) {
    const RankLane& lane = state_.content->ranks.lanes[row];
    const float em = ImGui::GetFontSize();
    const Box box = lane_of(row);
    const ImVec2 at{axis_.name, top_of(row)};
    ImGui::PushID(static_cast<int>(row));
    place_button("name", {state_.boxes.ranks.left, at.y, axis_.left - state_.px(8), at.y + row_});
    const bool named = ImGui::IsItemHovered();
    if (ImGui::IsItemClicked()) state_.open_rank(row);
    place_button("lane", box);
    handle_lane(row);
    ImGui::SetCursorScreenPos({state_.boxes.ranks.left, at.y + row_});
    ImGui::PopID();
    list_.AddRectFilled(left_top(box), right_bottom(box), state_.theme.track_area);
    const float y = std::floor(at.y + (row_ - em) / 2);
    const std::uint32_t color = lane.time_ns > 0 || named ? state_.theme.text : state_.theme.text_dim;
    const std::string time = text_from_duration(lane.time_ns);
    const float right = axis_.left - state_.px(8);
    const float time_left = std::floor(right - text_width(time));
    draw_elided(list_, {at.x, y}, time_left - at.x - state_.px(6), color,
                filled(Text::job_rank, {std::to_string(lane.rank)}));
    list_.AddText({time_left, y}, state_.theme.text_dim, time.c_str());
    draw_lane(lane, box);
  }

  /// Draws runs of equal causes, at most one per pixel.
  void draw_lane(const RankLane& lane, const Box& box) const {
    std::size_t from = 0;
    std::optional<PathCause> cause = lane.cells.front();
    const auto fill = [&](std::size_t to) {
      if (!cause) return;
      list_.AddRectFilled({box.left + static_cast<float>(from), box.top},
                          {box.left + static_cast<float>(to), box.bottom}, cause_color(*cause, state_.theme));
    };
    for (std::size_t column = 1; column < columns_; ++column) {
      const std::optional<PathCause> next = lane.cells[cell_of(column)];
      if (next == cause) continue;
      fill(column);
      from = column;
      cause = next;
    }
    fill(columns_);
  }

  /// Draws a vertical line at each pixel at which the path changes ranks.
  void draw_changes() const {
    const std::span<const PathCrossing> changes = state_.content->ranks.changes;
    const std::uint32_t color = with_alpha(state_.theme.text, 150);
    for (std::size_t column = 0; column < columns_; ++column) {
      const std::size_t begin = cell_of(column);
      const std::size_t end = std::min(changes.size(), std::max(begin + 1, cell_of(column + 1)));
      std::optional<PathCrossing> rows;
      for (std::size_t cell = begin; cell < end; ++cell) {
        const PathCrossing& change = changes[cell];
        if (change.first == change.last) continue;
        rows = rows ? PathCrossing{std::min(rows->first, change.first), std::max(rows->last, change.last)}
                    : change;
      }
      if (!rows) continue;
      const float x = axis_.left + static_cast<float>(column) + 0.5F;
      list_.AddLine({x, lane_of(rows->first).top}, {x, lane_of(rows->last).bottom}, color);
    }
  }

  /// Shows the piece below the mouse if it is on this rank. A click opens the trace of the rank.
  void handle_lane(std::uint32_t row) {
    if (!ImGui::IsItemHovered()) return;
    const CriticalContent& content = *state_.content;
    const TimeRange window = content.graph.window;
    const std::int64_t at_ns = saturating_add(window.begin_ns, axis_.offset_ns(ImGui::GetIO().MousePos.x));
    const std::size_t index = piece_at(content.path.pieces, at_ns);
    if (index >= content.path.pieces.size() || content.path.pieces[index].rank != row) return;
    wrapped_tooltip(piece_hint(state_, content.path.pieces[index], window));
    if (ImGui::IsItemClicked()) state_.open_piece(content.path.pieces[index]);
  }

  CriticalState& state_;
  PathAxis axis_;
  ImDrawList& list_;
  float top_;
  float row_;
  float end_;
  std::size_t columns_;
};

}  // namespace

void draw_path_ranks(CriticalState& state) {
  const Box& box = state.boxes.ranks;
  if (box.height() < rank_row_height() || state.content->ranks.lanes.empty()) return;
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::BeginChild("ranks", {box.width(), box.height()});
  PathRanks(state).draw();
  ImGui::EndChild();
}

}  // namespace kino
