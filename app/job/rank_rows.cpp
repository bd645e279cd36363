#include "app/job/rank_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/job/job_words.hpp"
#include "app/job/step_heat.hpp"
#include "app/text/columns_of_text.hpp"
#include "app/text/texts.hpp"
#include "app/widgets/hatching.hpp"
#include "app/widgets/panel_parts.hpp"
#include "app/widgets/ruler.hpp"
#include "app/widgets/text_drawing.hpp"
#include "app/widgets/widgets.hpp"
#include "core/base/byte_text.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/job_sums/collective_call.hpp"

namespace kino {
namespace {

constexpr float kFigurePx = 68;
constexpr float kTwoLanesPx = 30;       // a row of less has one lane
constexpr float kNumberPx = 18;         // of a part that can say for whom it waits
constexpr double kFaintestShare = 0.3;  // of a column with little in it, that it is seen at all

Text text_for(MatchLevel level) {
  switch (level) {
    case MatchLevel::exact:
      return Text::job_card_exact;
    case MatchLevel::proved:
      return Text::job_card_proved;
    case MatchLevel::order:
      return Text::job_card_order;
    case MatchLevel::rejected:
      break;
  }
  return Text::job_card_rejected;
}

std::optional<std::uint32_t> row_at(const JobState& state, float y) {
  if (y < state.boxes.lanes.top || y >= state.boxes.lanes.bottom || state.row_height <= 0)
    return std::nullopt;
  const double place = (y - state.boxes.lanes.top + state.scroll.position()) / state.row_height;
  if (place < 0 || place >= static_cast<double>(state.rows())) return std::nullopt;
  return static_cast<std::uint32_t>(place);
}

/// What a row draws with: where its time lies on screen.
struct Lane {
  ImDrawList& list;
  const JobState& state;
  float top = 0;
  float bottom = 0;

  float x_of(std::int64_t ns) const {
    return state.boxes.lanes.left +
           static_cast<float>(state.navigation.view().px_from_ns(static_cast<double>(ns)));
  }
};

/// Parts of at least a pixel as they are; smaller ones a column each, as dark as they fill it.
void draw_line(const Lane& lane, const BusyLine& line, std::uint32_t color, bool hatched) {
  const TimeView& view = lane.state.navigation.view();
  const std::vector<TimeRange>& ranges = line.ranges();
  const auto begin = static_cast<std::int64_t>(view.begin_ns);
  const auto end = static_cast<std::int64_t>(view.end_ns());
  const std::uint32_t back = lane.state.theme.track_area;
  auto it = std::ranges::upper_bound(ranges, begin, {}, &TimeRange::end_ns);
  while (it != ranges.end() && it->begin_ns < end) {
    const float left = std::max(lane.x_of(it->begin_ns), lane.state.boxes.lanes.left);
    const float right = std::min(lane.x_of(it->end_ns), lane.state.boxes.lanes.right);
    if (right - left >= 1) {
      const float hatch_px = lane.state.px(5);
      if (hatched && right - left >= hatch_px) {
        lane.list.AddRectFilled({left, lane.top}, {right, lane.bottom}, mixed(back, color, 0.25));
        draw_hatching(lane.list, {left, lane.top}, {right, lane.bottom}, with_alpha(color, 150),
                      lane.state.scale);
      } else {
        lane.list.AddRectFilled({left, lane.top}, {right, lane.bottom},
                                hatched ? mixed(back, color, 0.5) : color);
      }
      ++it;
      continue;
    }
    const double column = std::floor(view.px_from_ns(static_cast<double>(it->begin_ns)));
    const auto from = static_cast<std::int64_t>(view.ns_from_px(column));
    const auto to = std::max(from + 1, static_cast<std::int64_t>(view.ns_from_px(column + 1)));
    const double share = static_cast<double>(line.covered(from, to)) / static_cast<double>(to - from);
    const double strength = std::clamp(share, kFaintestShare, 1.0) * (hatched ? 0.5 : 1.0);
    const float x = lane.state.boxes.lanes.left + static_cast<float>(column);
    lane.list.AddRectFilled({x, lane.top}, {x + 1, lane.bottom}, mixed(back, color, strength));
    it = std::upper_bound(std::next(it), ranges.end(), to,
                          [](std::int64_t time, const TimeRange& range) { return time < range.end_ns; });
  }
}

/// For whom it waits, in the parts that have room for it.
void draw_reasons(const Lane& lane, std::uint32_t rank) {
  const JobPicture& picture = *lane.state.picture;
  const JobAnalysis& job = *picture.job;
  const TimeView& view = lane.state.navigation.view();
  const float text_y = std::floor((lane.top + lane.bottom - ImGui::GetFontSize()) / 2);
  const std::vector<TimeRange>& kernels = picture.ranks[rank].kernels;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const KernelWait& wait = job.waits.kernels[rank][k];
    if (wait.collective == KernelWait::kAlone ||
        static_cast<double>(wait.waiting_ns) < kNumberPx * view.ns_per_px)
      continue;
    const std::uint32_t last = job.waits.collectives[wait.collective].last;
    if (last == CollectiveWait::kNobody || last == rank) continue;
    const float left = std::max(lane.x_of(kernels[k].begin_ns), lane.state.boxes.lanes.left);
    const float right =
        std::min(lane.x_of(kernels[k].begin_ns + wait.waiting_ns), lane.state.boxes.lanes.right);
    if (right - left < lane.state.px(kNumberPx)) continue;
    std::string words = filled(Text::job_waits_for, {rank_name(job, last)});
    float width = text_width(words);
    if (width + lane.state.px(14) > right - left) {
      words = job.ranks[last]->rank < 0 ? "?" : std::to_string(job.ranks[last]->rank);
      width = text_width(words);
    }
    if (width + lane.state.px(6) > right - left) continue;
    const float x = std::floor((left + right - width) / 2);
    lane.list.AddRectFilled({x - lane.state.px(4), text_y},
                            {x + width + lane.state.px(4), text_y + ImGui::GetFontSize()},
                            with_alpha(lane.state.theme.track_area, 200), lane.state.px(3));
    lane.list.AddText({x, text_y}, lane.state.theme.text, words.c_str());
  }
}

void draw_time(ImDrawList& list, const JobState& state, std::uint32_t index, float top) {
  const RankPicture& rank = state.picture->ranks[index];
  const Theme& theme = state.theme;
  const std::uint32_t compute = kind_color(SliceKind::compute, theme);
  const std::uint32_t communication = kind_color(SliceKind::communication, theme);
  const std::uint32_t copy = kind_color(SliceKind::copy, theme);
  const float height = state.row_height;
  if (height >= state.px(kTwoLanesPx)) {
    const float gap = std::round(state.px(3));
    const float middle = std::round(top + height * 0.46F);
    const Lane upper{list, state, top + gap, middle - 1};
    draw_line(upper, rank.copies, copy, false);
    draw_line(upper, rank.compute, compute, false);
    const Lane lower{list, state, middle + 1, top + height - gap};
    draw_line(lower, rank.waiting, communication, true);
    draw_line(lower, rank.moving, communication, false);
    draw_reasons(lower, index);
    return;
  }
  const float gap = height >= state.px(12) ? 1.0F : 0.0F;
  const Lane band{list, state, top + gap, std::max(top + gap + 1, top + height - 1)};
  draw_line(band, rank.copies, copy, false);
  draw_line(band, rank.waiting, communication, true);
  draw_line(band, rank.moving, communication, false);
  draw_line(band, rank.compute, compute, false);
}

void draw_selected(ImDrawList& list, const JobState& state) {
  if (state.collective == KernelWait::kAlone || state.picture == nullptr) return;
  const JobAnalysis& job = *state.job();
  const CollectiveWait& wait = job.waits.collectives[state.collective];
  for (const RankKernel& it : job.matched.instances[wait.instance].kernels) {
    const std::optional<std::uint32_t> row = state.row_of(it.rank);
    if (!row) continue;
    const float top = state.boxes.lanes.top + static_cast<float>(*row) * state.row_height -
                      static_cast<float>(state.scroll.position());
    const Lane lane{list, state, top, top + state.row_height};
    const TimeRange& kernel = state.picture->ranks[it.rank].kernels[it.kernel];
    const float middle =
        state.row_height >= state.px(kTwoLanesPx) ? std::round(top + state.row_height * 0.46F) : top;
    list.AddRect(
        {lane.x_of(kernel.begin_ns), middle},
        {std::max(lane.x_of(kernel.end_ns), lane.x_of(kernel.begin_ns) + 2), top + state.row_height - 1},
        state.theme.selection, 0, 0, std::max(1.0F, state.px(1.5F)));
    if (it.rank != wait.latest) continue;
    const float x = std::floor(lane.x_of(kernel.begin_ns)) + 0.5F;
    list.AddLine({x, state.boxes.lanes.top}, {x, state.boxes.lanes.bottom},
                 with_alpha(state.theme.selection, 170));
  }
}

/// Of the selected rank, or of all where it has none of this number.
void go_to_step_of(JobState& state, std::size_t step) {
  const std::int64_t number = state.picture->steps[step].number;
  std::optional<TimeRange> range = state.range_of_step(number);
  for (const RankStep& it : state.picture->ranks[*state.rank].steps) {
    if (it.number == number) range = it.range;
  }
  if (range) state.navigation.fit(*range, 0.1);
}

struct Figure {
  Text title;
  std::int64_t (*value)(const JobAnalysis& job, std::uint32_t rank);
};
constexpr std::array kFigures{
    Figure{Text::job_column_waiting,
           [](const JobAnalysis& job, std::uint32_t rank) { return job.waits.ranks[rank].waiting_ns; }},
    Figure{Text::job_column_moving,
           [](const JobAnalysis& job, std::uint32_t rank) { return job.waits.ranks[rank].moving_ns; }},
    Figure{Text::job_column_caused,
           [](const JobAnalysis& job, std::uint32_t rank) { return job.blame[rank].caused_ns; }},
};
constexpr std::size_t kCausedFigure = 2;

float figure_right(const JobState& state, std::size_t figure) {
  return state.boxes.labels.right - state.px(10) -
         static_cast<float>(kFigures.size() - 1 - figure) * state.px(kFigurePx);
}

void draw_titles(ImDrawList& list, const JobState& state, const StepHeat& heat) {
  const Box& box = state.boxes.titles;
  list.AddRectFilled({box.left, box.top}, {state.boxes.ruler.right, box.bottom}, state.theme.panel);
  const float y = std::floor(box.top + (box.height() - ImGui::GetFontSize()) / 2);
  draw_elided(list, {box.left + state.px(14), y}, state.px(90), state.theme.text_dim,
              tr(Text::job_column_rank));
  if (heat.shown()) {
    heat.draw_titles(list);
    return;
  }
  for (std::size_t i = 0; i < kFigures.size(); ++i) {
    const char* const title = tr(kFigures[i].title);
    const float width = std::min(text_width(title), state.px(kFigurePx - 6));
    draw_elided(list, {figure_right(state, i) - width, y}, state.px(kFigurePx), state.theme.text_dim, title);
  }
}

std::string file_words(const JobState& state, const RankFile& file) {
  std::string name = escaped(file.path.filename().string());
  switch (file.state) {
    case RankFile::State::waiting:
      return name;
    case RankFile::State::loading:
      return filled(Text::job_file_reading, {name});
    case RankFile::State::ready:
      return filled(Text::job_file_read, {name});
    case RankFile::State::failed:
      break;
  }
  static_cast<void>(state);
  return name + ": " + escaped(file.error.what);
}

/// Of what the worst rank caused, from 0 to 1; for the eye, which sees little of a tenth.
double heat_of(const JobState& state, std::uint32_t rank) {
  const std::int64_t most = state.picture->most_caused_ns;
  const auto caused = static_cast<double>(state.job()->blame[rank].caused_ns);
  return most > 0 ? std::sqrt(caused / static_cast<double>(most)) : 0;
}

/// Of rows too low for words: every so many a name, and of each what it caused as a colour.
void draw_low_label(ImDrawList& list, const JobState& state, const StepHeat& cells, std::uint32_t row,
                    float top) {
  if (state.picture == nullptr) return;
  const Box& box = state.boxes.labels;
  const float size = ImGui::GetFontSize();
  const auto every = static_cast<std::uint32_t>(std::ceil(1.2F * size / state.row_height));
  if (row % every == 0 && top + size <= box.bottom) {
    draw_elided(list, {box.left + state.px(14), top - state.px(1)}, state.px(90), state.theme.text_dim,
                rank_name(*state.job(), state.rank_at(row)));
  }
  if (cells.shown()) {
    cells.draw(list, state.rank_at(row), top, top + state.row_height);
    return;
  }
  const double heat = heat_of(state, state.rank_at(row));
  if (heat == 0) return;
  const float right = figure_right(state, kCausedFigure);
  list.AddRectFilled({right - state.px(kFigurePx - 12), top},
                     {right, top + std::max(1.0F, state.row_height - 1)},
                     mixed(state.theme.track_area, kind_color(SliceKind::communication, state.theme), heat));
}

void draw_label(ImDrawList& list, const JobState& state, const StepHeat& cells, std::uint32_t row,
                float top) {
  const Box& box = state.boxes.labels;
  const Theme& theme = state.theme;
  const float size = ImGui::GetFontSize();
  if (state.row_height < size * 0.9F) {
    draw_low_label(list, state, cells, row, top);
    return;
  }
  const bool two = state.row_height >= 2.3F * size;
  const float y =
      std::floor(two ? top + state.row_height / 2 - size * 1.05F : top + (state.row_height - size) / 2);
  const float left = box.left + state.px(14);
  if (state.picture == nullptr) {
    const RankFile& file = state.files[row];
    const bool failed = file.state == RankFile::State::failed;
    draw_elided(list, {left, y}, box.width() - state.px(24), failed ? theme.error : theme.text_dim,
                file_words(state, file), Elide::middle);
    return;
  }
  const JobAnalysis& job = *state.job();
  const std::uint32_t rank = state.rank_at(row);
  const float room = figure_right(state, 0) - state.px(kFigurePx) - left;
  draw_elided(list, {left, y}, room, theme.text, rank_name(job, rank));
  if (two) {
    const std::filesystem::path& file = state.jobs[state.shown_job].files[rank];
    draw_elided(list, {left, y + std::floor(size * 1.1F)}, room, theme.text_dim,
                escaped(host_of(file).value_or(file.filename().string())), Elide::middle);
  }
  if (cells.shown()) {
    cells.draw(list, rank, top + 1, top + state.row_height - 1);
    return;
  }
  const float middle = std::floor(top + (state.row_height - size) / 2);
  for (std::size_t i = 0; i < kFigures.size(); ++i) {
    const std::int64_t value = kFigures[i].value(job, rank);
    const std::string words = value == 0 ? "0" : text_from_duration(value);
    const float width = text_width(words);
    const float right = figure_right(state, i);
    std::uint32_t color = value == 0 ? theme.text_dim : theme.text;
    const double strength = i == kCausedFigure ? heat_of(state, rank) : 0;
    if (strength > 0) {
      const float pad = state.px(5);
      list.AddRectFilled(
          {right - width - pad, middle - state.px(2)}, {right + pad, middle + size + state.px(2)},
          mixed(theme.track_area, kind_color(SliceKind::communication, theme), strength), state.px(3));
      if (strength > 0.5) color = theme.text_on_slice;
    }
    list.AddText({right - width, middle}, color, words.c_str());
  }
}

}  // namespace

std::optional<RankRows::Pick> RankRows::pick(const JobState& state, ImVec2 mouse) {
  if (state.picture == nullptr || !state.boxes.lanes.contains(mouse.x, mouse.y)) return std::nullopt;
  const std::optional<std::uint32_t> row = row_at(state, mouse.y);
  if (!row) return std::nullopt;
  const float top = state.boxes.lanes.top + static_cast<float>(*row) * state.row_height -
                    static_cast<float>(state.scroll.position());
  if (state.row_height >= state.px(kTwoLanesPx) && mouse.y < top + state.row_height * 0.46F)
    return std::nullopt;
  const TimeView& view = state.navigation.view();
  const double slack = 2 * view.ns_per_px;
  const double time = view.ns_from_px(mouse.x - state.boxes.lanes.left);
  const std::uint32_t rank = state.rank_at(*row);
  const std::vector<TimeRange>& kernels = state.picture->ranks[rank].kernels;
  std::optional<Pick> found;
  double nearest = slack;
  for (std::uint32_t k = 0; k < kernels.size(); ++k) {
    const double beside = std::max({0.0, static_cast<double>(kernels[k].begin_ns) - time,
                                    time - static_cast<double>(kernels[k].end_ns)});
    if (beside > nearest) continue;
    nearest = beside;
    found = Pick{rank, k};
  }
  return found;
}

void RankRows::handle(JobState& state) {
  const Box rows{state.boxes.labels.left, state.boxes.labels.top, state.boxes.lanes.right,
                 state.boxes.lanes.bottom};
  hovered_.reset();
  hovered_row_.reset();
  if (rows.height() < 1) return;
  place_button("rows", rows, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 mouse = io.MousePos;
  const bool over = ImGui::IsItemHovered();
  if (ImGui::IsItemActivated()) {
    dragging_ = false;
    dragged_x_ = dragged_y_ = 0;
  }
  if (ImGui::IsItemActive()) {
    const bool left = ImGui::IsMouseDown(ImGuiMouseButton_Left);
    const ImGuiMouseButton button = left ? ImGuiMouseButton_Left : ImGuiMouseButton_Middle;
    dragging_ = dragging_ || ImGui::IsMouseDragging(button, kDragPx * state.scale);
    if (dragging_) {
      const ImVec2 delta = ImGui::GetMouseDragDelta(button, 0);
      if (delta.x != dragged_x_) state.navigation.drag_px(dragged_x_ - delta.x);
      if (delta.y != dragged_y_) state.scroll.jump_to(state.scroll.position() + dragged_y_ - delta.y);
      dragged_x_ = delta.x;
      dragged_y_ = delta.y;
    }
  } else if (ImGui::IsItemDeactivated() && !dragging_ && over &&
             ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
    const std::optional<std::uint32_t> row = row_at(state, mouse.y);
    const std::optional<Pick> picked = pick(state, mouse);
    state.collective = KernelWait::kAlone;
    if (row && state.picture != nullptr) {
      state.rank = state.rank_at(*row);
      const std::optional<std::size_t> step = StepHeat(state).step_at(*state.rank, mouse.x);
      if (step && state.boxes.labels.contains(mouse.x, mouse.y)) go_to_step_of(state, *step);
    }
    if (picked) state.collective = state.job()->waits.kernels[picked->rank][picked->kernel].collective;
    const bool twice = io.MouseClickedLastCount[ImGuiMouseButton_Left] >= 2;
    if (twice && row && state.picture != nullptr && state.boxes.labels.contains(mouse.x, mouse.y))
      state.open_wanted = state.jobs[state.shown_job].files[state.rank_at(*row)];
    if (twice && state.collective != KernelWait::kAlone)
      state.navigation.fit(state.range_of(state.collective), 0.5);
  }
  if (over && !dragging_) {
    hovered_row_ = row_at(state, mouse.y);
    hovered_ = pick(state, mouse);
  }
  const Box wheel{rows.left, state.boxes.ruler.top, rows.right, rows.bottom};
  if (!wheel.contains(mouse.x, mouse.y) ||
      !ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
    return;
  const double notch_px = state.boxes.lanes.width() * kWheelPanShare;
  if (io.MouseWheelH != 0) state.navigation.pan_px(-io.MouseWheelH * notch_px);
  if (io.MouseWheel == 0) return;
  const bool over_labels = mouse.x < state.boxes.lanes.left;
  if (over_labels || io.KeyCtrl) {
    state.scroll.scroll_by(-io.MouseWheel * std::max(state.row_height, state.px(40)));
  } else if (io.KeyShift) {
    state.navigation.pan_px(-io.MouseWheel * notch_px);
  } else {
    state.navigation.zoom_at(mouse.x - state.boxes.lanes.left, std::pow(kWheelZoom, io.MouseWheel));
  }
}

void RankRows::draw(ImDrawList& list, const JobState& state) const {
  const JobBoxes& boxes = state.boxes;
  const Theme& theme = state.theme;
  const StepHeat heat(state);
  draw_titles(list, state, heat);
  list.AddRectFilled({boxes.labels.left, boxes.labels.top}, {boxes.lanes.right, boxes.lanes.bottom},
                     theme.track_area);
  const RulerScale scale = ruler_scale(state.navigation.view(), state.px(110));
  if (state.picture != nullptr) {
    draw_ruler(list, state.navigation.view(), scale, left_top(boxes.ruler), right_bottom(boxes.ruler), {},
               theme, state.scale);
  }
  list.PushClipRect({boxes.labels.left, boxes.labels.top}, {boxes.lanes.right, boxes.lanes.bottom}, true);
  if (state.picture != nullptr)
    draw_grid(list, state.navigation.view(), scale, left_top(boxes.lanes), right_bottom(boxes.lanes), theme);
  const auto first = static_cast<std::uint32_t>(std::max(0.0, state.scroll.position() / state.row_height));
  const std::optional<std::uint32_t> culprit = state.job() != nullptr ? state.job()->culprit() : std::nullopt;
  for (std::uint32_t row = first; row < state.rows(); ++row) {
    const float top = std::round(boxes.lanes.top + static_cast<float>(row) * state.row_height -
                                 static_cast<float>(state.scroll.position()));
    if (top >= boxes.lanes.bottom) break;
    const float bottom = top + state.row_height;
    const std::uint32_t rank = state.rank_at(row);
    if (state.rank == rank || hovered_row_ == row) {
      list.AddRectFilled({boxes.labels.left, top}, {boxes.labels.right, bottom},
                         with_alpha(theme.selection, state.rank == rank ? 46 : 20));
    }
    draw_label(list, state, heat, row, top);
    if (culprit == rank) {
      list.AddRectFilled({boxes.labels.left, top}, {boxes.labels.left + state.px(4), bottom},
                         kind_color(SliceKind::communication, theme));
    }
    if (state.row_height >= state.px(12))
      list.AddLine({boxes.labels.left, bottom - 0.5F}, {boxes.lanes.right, bottom - 0.5F}, theme.border);
    if (state.picture == nullptr) continue;
    list.PushClipRect({boxes.lanes.left, boxes.lanes.top}, {boxes.lanes.right, boxes.lanes.bottom}, true);
    draw_time(list, state, rank, top);
    list.PopClipRect();
  }
  list.PushClipRect({boxes.lanes.left, boxes.lanes.top}, {boxes.lanes.right, boxes.lanes.bottom}, true);
  draw_selected(list, state);
  list.PopClipRect();
  list.PopClipRect();
  list.AddLine({boxes.lanes.left - 0.5F, boxes.titles.top}, {boxes.lanes.left - 0.5F, boxes.lanes.bottom},
               theme.border);
  draw_card(state);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!hovered_row_ || state.picture == nullptr || !boxes.labels.contains(mouse.x, mouse.y)) return;
  const std::uint32_t rank = state.rank_at(*hovered_row_);
  if (const std::optional<std::size_t> step = heat.step_at(rank, mouse.x)) heat.draw_card(rank, *step);
}

void RankRows::draw_card(const JobState& state) const {
  if (!hovered_ || ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  const JobAnalysis& job = *state.job();
  const KernelWait& wait = job.waits.kernels[hovered_->rank][hovered_->kernel];
  const TimeRange& kernel = state.picture->ranks[hovered_->rank].kernels[hovered_->kernel];
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 460 * state.scale);
  const RankDigest& rank = *job.ranks[hovered_->rank];
  colored_text(state.theme.text, rank.texts[rank.kernels[hovered_->kernel].family]);
  if (wait.collective == KernelWait::kAlone) {
    wrapped_text(state.theme.warning, filled(Text::job_card_alone, {rank_name(job, hovered_->rank),
                                                                    text_from_duration(kernel.length_ns())}));
  } else {
    const CollectiveWait& all = job.waits.collectives[wait.collective];
    const CollectiveCall call = call_of(job, all);
    const CollectiveInstance& instance = job.matched.instances[all.instance];
    std::string facts =
        filled(Text::job_card_facts, {grouped(instance.kernels.size()), tr(text_for(instance.level))});
    if (call.bytes >= 0) facts = text_from_bytes(static_cast<double>(call.bytes)) + " · " + facts;
    colored_text(state.theme.text_dim, facts);
    const std::string moves = text_from_duration(kernel.length_ns() - wait.waiting_ns);
    const std::string who = rank_name(job, hovered_->rank);
    const bool named = all.last != CollectiveWait::kNobody;
    if (named && all.last == hovered_->rank) {
      wrapped_text(state.theme.text, filled(Text::job_card_last, {who, text_from_duration(all.lead_ns),
                                                                  text_from_duration(all.waiting_ns)}));
    } else if (named) {
      wrapped_text(state.theme.text, filled(Text::job_card_waits, {who, text_from_duration(wait.waiting_ns),
                                                                   rank_name(job, all.last), moves}));
    } else {
      wrapped_text(state.theme.text,
                   filled(Text::job_card_nobody, {who, text_from_duration(wait.waiting_ns), moves}));
    }
    if (call.bus_gb_per_s >= 0) {
      colored_text(state.theme.text_dim,
                   filled(Text::job_card_bandwidth,
                          {text_from_duration(all.transfer_ns), fixed(call.bus_gb_per_s, 1)}));
    }
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace kino
