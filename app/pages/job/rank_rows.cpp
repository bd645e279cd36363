#include "app/pages/job/rank_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/pages/job/job_texts.hpp"
#include "app/pages/job/rank_lanes.hpp"
#include "app/pages/job/step_heat.hpp"
#include "app/pages/job/step_strip.hpp"
#include "app/pages/timeline/hover_card.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/job/tables/collective_call.hpp"

namespace kino {
namespace {

Text text_for(MatchLevel level) {
  constexpr std::array kTexts{Text::job_card_exact, Text::job_card_proved, Text::job_card_order,
                              Text::job_card_rejected};
  return kTexts[static_cast<std::size_t>(level)];
}

/// Fits the view to the step of the selected rank, or of all ranks if the selected rank does not contain the
/// step.
void go_to_step_of(JobState& state, std::size_t step) {
  const std::int64_t number = state.picture->steps[step].number;
  std::optional<TimeRange> range = state.step_ranges[step];
  state.step = step;
  for (const RankStep& rank_step : state.picture->ranks[*state.rank].steps) {
    if (rank_step.number == number) range = rank_step.range;
  }
  if (range) state.navigation.fit(*range, 0.1);
}

}  // namespace

RankRows::RankRows(const OpenOptions& options, WorkerPool& pool, const std::function<void()>& wake)
    : image_(pool, wake), expanded_(options, pool, wake) {}

std::optional<double> RankRows::mouse_ns(const JobState& state) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!state.boxes.lanes.contains(mouse.x, mouse.y)) return std::nullopt;
  return state.navigation.view().ns_from_px(mouse.x - state.boxes.lanes.left);
}

std::uint32_t RankRows::hovered_collective(const JobState& state) const {
  if (!hovered_) return KernelWait::kUnmatched;
  return state.job()->waits.kernels[hovered_->rank].collective(hovered_->kernel);
}

std::optional<std::uint32_t> RankRows::hovered_rank() const {
  if (!hovered_line_ || hovered_line_->kind == JobLine::Kind::group ||
      hovered_line_->kind == JobLine::Kind::file || hovered_line_->kind == JobLine::Kind::stream)
    return std::nullopt;
  return hovered_line_->index;
}

std::optional<TimeRange> RankRows::range_of(const JobState& state, SliceOfRank slice) const {
  const RankTracks* const tracks = expanded_.of(slice.rank);
  if (tracks == nullptr || index_of(slice.slice) >= tracks->trace().slice_count()) return std::nullopt;
  return tracks->page_range(state, slice.rank, slice.slice);
}

std::optional<RankRows::Pick> RankRows::pick(const JobState& state, ImVec2 mouse) {
  if (state.picture == nullptr || !state.boxes.lanes.contains(mouse.x, mouse.y)) return std::nullopt;
  const JobLine* const line = state.line_at(mouse.y);
  if (line == nullptr || line->kind != JobLine::Kind::rank) return std::nullopt;
  if (state.two_lanes(*line) && mouse.y < state.y_of(*line) + lower_band_px(*line)) return std::nullopt;
  const TimeView& view = state.navigation.view();
  const double slack = 2 * view.ns_per_px;
  const double time = view.ns_from_px(mouse.x - state.boxes.lanes.left);
  const JobPicture& picture = *state.picture;
  const std::size_t rank = line->index;
  const auto first = static_cast<std::int64_t>(time - slack) - picture.ranks[rank].longest_kernel_ns - 1;
  std::optional<Pick> found;
  double nearest = slack;
  for (std::size_t k = picture.first_kernel_from(rank, first); k < picture.kernel_count(rank); ++k) {
    const TimeRange kernel = picture.kernel(rank, k);
    if (static_cast<double>(kernel.begin_ns) > time + slack) break;
    const double beside = std::max(
        {0.0, static_cast<double>(kernel.begin_ns) - time, time - static_cast<double>(kernel.end_ns)});
    if (beside > nearest) continue;
    nearest = beside;
    found = Pick{line->index, static_cast<std::uint32_t>(k)};
  }
  return found;
}

void RankRows::drag(JobState& state) {
  const bool left = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  const ImGuiMouseButton button = left ? ImGuiMouseButton_Left : ImGuiMouseButton_Middle;
  dragging_ = dragging_ || ImGui::IsMouseDragging(button, kDragPx * state.scale);
  if (!dragging_) return;
  const ImVec2 delta = ImGui::GetMouseDragDelta(button, 0);
  if (delta.x != dragged_x_) state.navigation.drag_px(dragged_x_ - delta.x);
  if (delta.y != dragged_y_) state.scroll.jump_to(state.scroll.position() + dragged_y_ - delta.y);
  dragged_x_ = delta.x;
  dragged_y_ = delta.y;
}

void RankRows::click_labels(JobState& state, const JobLine& line, ImVec2 mouse, bool twice) {
  if (line.kind == JobLine::Kind::track) {
    RankTrackLine& track = state.tracks[line.index].lines[line.track];
    track.open = !track.open;
    state.lines_stale = true;
    return;
  }
  if (line.kind == JobLine::Kind::group && line.index < state.groups.size()) {
    state.clear();
    state.group = line.index;
    return;
  }
  if (line.kind != JobLine::Kind::rank) return;
  state.rank = line.index;
  state.group.reset();
  if (RankLabels::on_arrow(state, mouse.x)) {
    state.toggle_expanded(line.index);
    return;
  }
  const std::optional<std::size_t> step = StepHeat(state).step_at(line.index, mouse.x);
  if (step) go_to_step_of(state, *step);
  if (twice && !step) state.requests.emplace_back(OpenRecording{state.picture->files[line.index]});
}

void RankRows::click_lanes(JobState& state, const JobLine& line, ImVec2 mouse, bool twice) {
  if (line.kind == JobLine::Kind::track) {
    const RankTracks* const tracks = expanded_.of(line.index);
    const EventPick found = tracks != nullptr ? tracks->pick(state, line, mouse) : EventPick{};
    if (found.event.slice == kNoSlice) return;
    state.select_slice({line.index, found.event.slice});
    if (twice) state.navigation.fit(tracks->page_range(state, line.index, found.event.slice), 0.2);
    return;
  }
  if (line.kind != JobLine::Kind::rank) return;
  state.rank = line.index;
  state.group.reset();
  if (const std::optional<Pick> picked = pick(state, mouse))
    state.collective = state.job()->waits.kernels[picked->rank].collective(picked->kernel);
  if (twice && state.collective != KernelWait::kUnmatched)
    state.navigation.fit(state.range_of(state.collective), 0.5);
}

void RankRows::click(JobState& state, ImVec2 mouse) {
  const JobLine* const at = state.line_at(mouse.y);
  state.collective = KernelWait::kUnmatched;
  state.slice.reset();
  if (at == nullptr || state.picture == nullptr) return;
  const JobLine line = *at;
  const bool twice = ImGui::GetIO().MouseClickedLastCount[ImGuiMouseButton_Left] >= 2;
  if (state.boxes.labels.contains(mouse.x, mouse.y)) {
    click_labels(state, line, mouse, twice);
  } else {
    click_lanes(state, line, mouse, twice);
  }
}

void RankRows::open_menu(JobState& state, ImVec2 mouse) {
  const JobLine* const line = state.picture != nullptr ? state.line_at(mouse.y) : nullptr;
  if (line == nullptr) return;
  const bool of_group = line->kind == JobLine::Kind::group && line->index < state.groups.size();
  if (!of_group && line->kind != JobLine::Kind::rank) return;
  const std::size_t index = line->index;
  if (of_group) {
    state.clear();
    state.group = index;
  } else if (state.rank != line->index) {
    state.clear();
    state.select_rank(line->index);
  }
  state.menu = {.index = index, .of_group = of_group, .wanted = true};
}

void RankRows::turn_wheel(JobState& state, const Box& rows, ImVec2 mouse) {
  const ImGuiIO& io = ImGui::GetIO();
  const Box wheel{rows.left, state.boxes.ruler.top, rows.right, rows.bottom};
  if (!wheel.contains(mouse.x, mouse.y) ||
      !ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
    return;
  const double notch_px = static_cast<double>(state.boxes.lanes.width()) * kWheelPanShare;
  if (io.MouseWheelH != 0) state.navigation.pan_px(-io.MouseWheelH * notch_px);
  if (io.MouseWheel == 0) return;
  const bool over_labels = mouse.x < state.boxes.lanes.left;
  if (over_labels && io.KeyCtrl) {
    state.row_zoom = std::clamp(state.row_zoom * std::pow(kWheelZoom, io.MouseWheel), 1.0, 256.0);
  } else if (over_labels || io.KeyCtrl) {
    state.scroll.scroll_by(-io.MouseWheel * std::max(state.row_height, state.px(40)));
  } else if (io.KeyShift) {
    state.navigation.pan_px(-io.MouseWheel * notch_px);
  } else {
    state.navigation.zoom_at(mouse.x - state.boxes.lanes.left, std::pow(kWheelZoom, io.MouseWheel));
  }
}

void RankRows::handle(JobState& state) {
  const Box rows{state.boxes.labels.left, state.boxes.labels.top, state.boxes.lanes.right,
                 state.boxes.lanes.bottom};
  hovered_.reset();
  hovered_line_.reset();
  hovered_slice_ = {};
  handle_step_strip(state);
  if (rows.height() < 1) return;
  place_button("rows", rows, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = ImGui::IsItemHovered();
  if (ImGui::IsItemActivated()) {
    dragging_ = false;
    dragged_x_ = dragged_y_ = 0;
  }
  if (ImGui::IsItemActive()) {
    drag(state);
  } else if (ImGui::IsItemDeactivated() && !dragging_ && over &&
             ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
    click(state, mouse);
  }
  if (over && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) open_menu(state, mouse);
  if (over && !dragging_) {
    if (const JobLine* const line = state.line_at(mouse.y)) {
      hovered_line_ = *line;
      const RankTracks* const tracks =
          line->kind == JobLine::Kind::track && state.boxes.lanes.contains(mouse.x, mouse.y)
              ? expanded_.of(line->index)
              : nullptr;
      if (tracks != nullptr) hovered_slice_ = tracks->pick(state, *line, mouse);
    }
    hovered_ = pick(state, mouse);
  }
  turn_wheel(state, rows, mouse);
}

void RankRows::draw_slice_outlines(ImDrawList& list, const JobState& state) const {
  const auto outline = [&](std::uint32_t rank, SliceId slice, std::uint32_t color, float thickness) {
    const RankTracks* const tracks = expanded_.of(rank);
    if (tracks == nullptr) return;
    const auto place = tracks->place_of(state, rank, slice);
    if (!place) return;
    const float left = state.boxes.lanes.left + place->left;
    const float right = std::max(state.boxes.lanes.left + place->right, left + thickness);
    list.AddRect({left, place->top}, {right, place->bottom}, color, state.px(2), 0, thickness);
  };
  if (hovered_slice_.event.slice != kNoSlice && hovered_line_) {
    outline(hovered_line_->index, hovered_slice_.event.slice, with_alpha(state.theme.selection, 0x90),
            std::max(1.0F, state.px(1)));
  }
  const float thick = std::max(2.0F, state.px(2));
  if (state.slice) outline(state.slice->rank, state.slice->slice, state.theme.selection, thick);
  if (state.collective == KernelWait::kUnmatched || state.tracks.empty()) return;
  const JobAnalysis& job = *state.job();
  const std::uint32_t instance = job.waits.collectives[state.collective].instance;
  for (const RankKernel& member : job.matched.instances[instance].kernels)
    outline(member.rank, job.ranks[member.rank]->kernels[member.kernel].slice, state.theme.selection, thick);
}

void RankRows::draw_lanes(ImDrawList& list, const JobState& state, const ColorOptions& look) {
  const Box& lanes = state.boxes.lanes;
  list.PushClipRect(left_top(lanes), right_bottom(lanes), true);
  const RulerScale ticks = ruler_scale(state.navigation.view(), state.px(110));
  if (state.picture != nullptr)
    draw_grid(list, state.navigation.view(), ticks, left_top(lanes), right_bottom(lanes), state.theme);
  const double seen = state.scroll.position();
  const auto visible = state.lines.between(seen, seen + static_cast<double>(lanes.height()));
  for (const JobLine& line : visible) {
    const float top = state.y_of(line);
    if (line.kind == JobLine::Kind::group || line.kind == JobLine::Kind::stream)
      draw_group_band(list, state, line);
    if (line.kind == JobLine::Kind::track)
      list.AddRectFilled({lanes.left, top}, {lanes.right, top + line.height}, state.theme.track_stripe);
  }
  image_.draw(list, state);
  for (const JobLine& line : visible) {
    if (line.kind == JobLine::Kind::rank && state.two_lanes(line)) draw_two_lanes(list, state, line);
    const float bottom = state.y_of(line) + line.height;
    if (line.height >= state.px(12))
      list.AddLine({lanes.left, bottom - 0.5F}, {lanes.right, bottom - 0.5F}, state.theme.border);
  }
  expanded_.draw(list, state, look);
  draw_selected(list, state);
  draw_slice_outlines(list, state);
  list.PopClipRect();
}

void RankRows::draw(ImDrawList& list, const JobState& state, const ColorOptions& look) {
  const JobBoxes& boxes = state.boxes;
  const StepHeat heat(state);
  RankLabels::draw_titles(list, state, heat);
  list.AddRectFilled(left_top(boxes.labels), right_bottom(boxes.lanes), state.theme.track_area);
  if (state.picture != nullptr) {
    draw_ruler(list, state.navigation.view(), ruler_scale(state.navigation.view(), state.px(110)),
               left_top(boxes.ruler), right_bottom(boxes.ruler), {}, state.theme, state.scale);
    draw_step_strip(list, state);
  }
  const JobLine* const hovered =
      hovered_line_ ? state.lines.at(static_cast<double>(hovered_line_->top + hovered_line_->height / 2))
                    : nullptr;
  labels_.draw(list, state, heat, hovered);
  draw_lanes(list, state, look);
  list.AddLine({boxes.lanes.left - 0.5F, boxes.titles.top}, {boxes.lanes.left - 0.5F, boxes.lanes.bottom},
               state.theme.border);
  if (state.picture != nullptr) draw_cards(state, heat);
}

void RankRows::draw_cards(const JobState& state, const StepHeat& heat) const {
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  draw_card(state);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (hovered_slice_.event.any() && hovered_line_) {
    if (const RankTracks* const tracks = expanded_.of(hovered_line_->index))
      draw_event_card(tracks->trace(), nullptr, hovered_slice_, tracks->look(), state.theme, state.scale);
  }
  if (!hovered_line_ || hovered_line_->kind != JobLine::Kind::rank ||
      !state.boxes.labels.contains(mouse.x, mouse.y))
    return;
  const std::uint32_t rank = hovered_line_->index;
  if (const std::optional<std::size_t> step = heat.step_at(rank, mouse.x)) {
    heat.draw_card(rank, *step);
    return;
  }
  ImGui::BeginTooltip();
  colored_text(state.theme.text, rank_name(*state.job(), rank));
  colored_text(state.theme.text_dim, escaped(state.picture->files[rank].filename().string()));
  if (const std::string gpu = gpu_text(*state.job(), rank); !gpu.empty()) {
    const bool different = shows_difference(claim_of(state.job()->gpu[rank]));
    colored_text(different ? state.theme.text : state.theme.text_dim, gpu);
  }
  ImGui::EndTooltip();
}

void RankRows::draw_card(const JobState& state) const {
  if (!hovered_) return;
  const JobAnalysis& job = *state.job();
  const KernelWait wait = job.waits.kernels[hovered_->rank][hovered_->kernel];
  const TimeRange kernel = state.picture->kernel(hovered_->rank, hovered_->kernel);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 460 * state.scale);
  const RankDigest& rank = *job.ranks[hovered_->rank];
  colored_text(state.theme.text, rank.texts[rank.kernels[hovered_->kernel].family]);
  if (wait.collective == KernelWait::kUnmatched) {
    wrapped_text(state.theme.warning,
                 filled(Text::job_card_unmatched,
                        {rank_name(job, hovered_->rank), text_from_duration(kernel.length_ns())}));
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
    const bool named = all.last != CollectiveWait::kNoRank;
    if (named && all.last == hovered_->rank) {
      wrapped_text(state.theme.text, filled(Text::job_card_last, {who, text_from_duration(all.arrival_gap_ns),
                                                                  text_from_duration(all.waiting_ns)}));
    } else if (named) {
      wrapped_text(state.theme.text, filled(Text::job_card_waits, {who, text_from_duration(wait.waiting_ns),
                                                                   rank_name(job, all.last), moves}));
    } else {
      wrapped_text(state.theme.text,
                   filled(Text::job_card_waits_only, {who, text_from_duration(wait.waiting_ns), moves,
                                                      unnamed_last_text(job, wait.collective)}));
    }
    if (const std::string why = cause_text(job, wait.collective); !why.empty() && named) {
      wrapped_text(state.theme.text, why);
      if (const std::string note = cpu_untraced_note(why); !note.empty())
        wrapped_text(state.theme.text_dim, note);
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
