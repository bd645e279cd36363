#include "app/pages/job/rank_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/pages/job/job_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/busy_band.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr float kNumberPx = 18;  // minimum width of a wait that has a label, at scale 1

/// Vertical position of a band and the time axis.
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

void draw_band(const Lane& lane, const BusyLine& line, std::uint32_t color, bool hatched) {
  const Box& lanes = lane.state.boxes.lanes;
  draw_busy_band(lane.list, lane.state.navigation.view(), {lanes.left, lane.top, lanes.right, lane.bottom},
                 line, {color, lane.state.theme.track_area, hatched, lane.state.scale});
}

/// Labels waits that are wide enough with the rank for which this rank waits.
void draw_reasons(const Lane& lane, std::uint32_t rank) {
  const JobPicture& picture = *lane.state.picture;
  const JobAnalysis& job = *picture.job;
  const TimeView& view = lane.state.navigation.view();
  const float text_y = std::floor((lane.top + lane.bottom - ImGui::GetFontSize()) / 2);
  const RankPicture& drawn = picture.ranks[rank];
  // Blocks of kernels without a wide wait are skipped, because tens of thousands can be in view.
  const auto least = static_cast<std::int64_t>(kNumberPx * view.ns_per_px);
  const auto first = static_cast<std::int64_t>(view.begin_ns) - drawn.longest_kernel_ns;
  const auto end = static_cast<std::int64_t>(view.end_ns());
  const std::size_t count = picture.kernel_count(rank);
  for (std::size_t k = picture.first_kernel_from(rank, first); k < count; ++k) {
    if (drawn.longest_waits_ns[k / RankPicture::kWaitBlock] < least) {
      k |= RankPicture::kWaitBlock - 1;
      continue;
    }
    const KernelWait wait = job.waits.kernels[rank][k];
    if (wait.collective == KernelWait::kUnmatched || wait.waiting_ns < least) continue;
    const std::int64_t begin = picture.kernel(rank, k).begin_ns;
    if (begin >= end) break;
    const std::uint32_t last = job.waits.collectives[wait.collective].last;
    if (last == CollectiveWait::kNoRank || last == rank) continue;
    const float left = std::max(lane.x_of(begin), lane.state.boxes.lanes.left);
    const float right = std::min(lane.x_of(begin + wait.waiting_ns), lane.state.boxes.lanes.right);
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

/// Draws the lateness of a collective: from the median member's arrival to the last member's.
void draw_lateness(ImDrawList& list, const JobState& state, const CollectiveWait& wait, const JobLine& last) {
  const LateCause* const cause = state.job()->cause_of(state.collective);
  if (cause == nullptr || cause->late_ns <= 0) return;
  std::int64_t arrival = 0;
  for (const RankKernel& member : state.job()->matched.instances[wait.instance].kernels) {
    if (member.rank == wait.latest) arrival = state.picture->kernel(member.rank, member.kernel).begin_ns;
  }
  const float bottom = state.y_of(last) + last.height;
  const Lane lane{list, state, bottom - state.px(20), bottom};
  const float right = lane.x_of(arrival);
  const float left = std::max(lane.x_of(arrival - cause->late_ns), state.boxes.lanes.left);
  const std::string words = filled(Text::job_late_by, {text_from_duration(cause->late_ns)});
  const float width = text_width(words);
  if (last.height < state.px(40) || right - left < width + state.px(24)) return;
  const float y = std::floor(bottom - state.px(11)) + 0.5F;
  const std::uint32_t color = kind_color(SliceKind::communication, state.theme);
  const float tick = state.px(4);
  list.AddLine({left, y}, {right, y}, color);
  list.AddLine({left, y - tick}, {left, y + tick}, color);
  list.AddLine({right, y - tick}, {right, y + tick}, color);
  const float x = std::floor((left + right - width) / 2);
  const float text_y = std::floor(y - ImGui::GetFontSize() / 2);
  list.AddRectFilled({x - state.px(5), text_y}, {x + width + state.px(5), text_y + ImGui::GetFontSize()},
                     state.theme.track_area, state.px(3));
  list.AddText({x, text_y}, color, words.c_str());
}

}  // namespace

float lower_band_px(const JobLine& line) { return std::round(line.height * 0.46F); }

void draw_two_lanes(ImDrawList& list, const JobState& state, const JobLine& line) {
  const RankPicture& rank = state.picture->ranks[line.index];
  const std::uint32_t communication = kind_color(SliceKind::communication, state.theme);
  const float top = state.y_of(line);
  const float gap = std::round(state.px(3));
  const float middle = top + lower_band_px(line);
  const Lane upper{list, state, top + gap, middle - 1};
  draw_band(upper, rank.copies, kind_color(SliceKind::copy, state.theme), false);
  draw_band(upper, rank.compute, kind_color(SliceKind::compute, state.theme), false);
  const Lane lower{list, state, middle + 1, top + line.height - gap};
  draw_band(lower, rank.waiting, communication, true);
  draw_band(lower, rank.moving, communication, false);
  draw_reasons(lower, line.index);
}

void draw_selected(ImDrawList& list, const JobState& state) {
  if (state.collective == KernelWait::kUnmatched || state.picture == nullptr) return;
  const JobAnalysis& job = *state.job();
  const CollectiveWait& wait = job.waits.collectives[state.collective];
  constexpr std::uint32_t kNone = 0xffffffffU;
  std::vector<std::uint32_t> kernel_of(job.ranks.size(), kNone);
  for (const RankKernel& member : job.matched.instances[wait.instance].kernels)
    kernel_of[member.rank] = member.kernel;
  const float thickness = std::max(1.0F, state.px(1.5F));
  const double seen = state.scroll.position();
  const Box& lanes = state.boxes.lanes;
  for (const JobLine& line : state.lines.between(seen, seen + static_cast<double>(lanes.height()))) {
    if (line.kind != JobLine::Kind::rank || kernel_of[line.index] == kNone) continue;
    const float top = state.y_of(line);
    const Lane lane{list, state, top, top + line.height};
    const TimeRange kernel = state.picture->kernel(line.index, kernel_of[line.index]);
    const float left = lane.x_of(kernel.begin_ns);
    const float right = std::max(lane.x_of(kernel.end_ns), left + 2);
    if (line.height < state.px(5)) {
      list.AddRectFilled({left, top}, {right, top + std::max(1.0F, line.height)},
                         with_alpha(state.theme.selection, 150));
    } else {
      const float upper = state.two_lanes(line) ? top + lower_band_px(line) : top;
      list.AddRect({left, upper}, {right, top + line.height - 1}, state.theme.selection, 0, 0, thickness);
    }
    if (state.two_lanes(line)) {
      const float half = state.px(5);
      const float tip = top + lower_band_px(line);
      list.AddTriangleFilled({left - half, tip - half}, {left + half, tip - half}, {left, tip},
                             state.theme.selection);
    }
    if (line.index != wait.latest) continue;
    const float x = std::floor(left) + 0.5F;
    list.AddLine({x, lanes.top}, {x, lanes.bottom}, with_alpha(state.theme.selection, 170));
    draw_lateness(list, state, wait, line);
  }
}

void draw_group_band(ImDrawList& list, const JobState& state, const JobLine& line) {
  const Box& lanes = state.boxes.lanes;
  const float top = state.y_of(line);
  list.AddRectFilled({lanes.left, top}, {lanes.right, top + line.height}, state.theme.group_header);
}

}  // namespace kino
