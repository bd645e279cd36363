#include "app/pages/serving/serving_state.hpp"

#include <algorithm>
#include <array>

#include "app/ui/widgets/oklch.hpp"
#include "app/ui/widgets/text_drawing.hpp"

namespace kino {
namespace {

std::size_t moved_within(std::optional<std::size_t> from, int by, std::size_t count) {
  const auto last = static_cast<std::ptrdiff_t>(count) - 1;
  const std::ptrdiff_t before = from ? static_cast<std::ptrdiff_t>(*from) : (by > 0 ? -1 : last + 1);
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(before + by, 0, last));
}

}  // namespace

const IterationGroup* ServingState::shown_group() const {
  if (content == nullptr) return nullptr;
  const std::optional<std::size_t> shown = group ? group : content->main_group();
  return shown && *shown < content->groups.size() ? &content->groups[*shown] : nullptr;
}

void ServingState::step_stall(int by) {
  if (content == nullptr || content->stalls.empty()) return;
  const std::vector<Stall>& stalls = content->stalls;
  const Stall* next = nullptr;
  if (by > 0) {
    const auto after =
        iteration ? std::ranges::upper_bound(stalls, *iteration, {}, &Stall::iteration) : stalls.begin();
    next = after != stalls.end() ? &*after : &stalls.front();
  } else {
    const auto from =
        iteration ? std::ranges::lower_bound(stalls, *iteration, {}, &Stall::iteration) : stalls.begin();
    next = from != stalls.begin() ? &*(from - 1) : &stalls.back();
  }
  iteration = next->iteration;
  scroll = true;
}

void ServingState::step_iteration(int by) {
  if (!has_iterations()) return;
  iteration = moved_within(iteration, by, content->iterations.list.size());
}

void ServingState::step_group(int by) {
  if (content == nullptr || content->groups.empty()) return;
  group = moved_within(group ? group : content->main_group(), by, content->groups.size());
}

void ServingState::open(std::size_t index) {
  if (!has_iterations() || index >= content->iterations.list.size()) return;
  iteration = index;
  const Iteration& shown = content->iterations.list[index];
  const SliceId slice = shown.slice != kNoSlice ? shown.slice : shown.first_kernel;
  requests.emplace_back(ShowRange{shown.window.value_or(shown.mark), slice});
}

void ServingState::open_selection() {
  if (!has_iterations()) return;
  const std::size_t first = content->stalls.empty() ? 0 : content->stalls.front().iteration;
  open(iteration.value_or(first));
}

void place_serving(ServingState& state, const Box& all) {
  const float em = ImGui::GetFontSize();
  ServingBoxes& boxes = state.boxes;
  boxes.all = all;
  boxes.bar = {all.left, ImGui::GetCursorScreenPos().y, all.right, 0};
  boxes.bar.bottom = boxes.bar.top + std::floor(2.1F * em);
  boxes.limits = {all.left, all.bottom - std::floor(2 * em), all.right, all.bottom};
  const float rest = boxes.limits.top - boxes.bar.bottom;
  const float plot = std::floor(std::clamp(rest * 0.36F, 8 * em, 20 * em));
  const float middle = std::floor(all.left + all.width() * 0.56F);
  boxes.plot = {all.left, boxes.bar.bottom, all.right, boxes.bar.bottom + plot};
  const float tables = boxes.limits.top - boxes.plot.bottom;
  const float groups = std::floor(tables * 0.55F);
  boxes.groups = {all.left, boxes.plot.bottom, middle, boxes.plot.bottom + groups};
  boxes.stalls = {all.left, boxes.groups.bottom, middle, boxes.limits.top};
  boxes.parts = {middle, boxes.plot.bottom, all.right, boxes.limits.top};
}

std::uint32_t part_color(IterationPart part, const Theme& theme) {
  // In the order of IterationPart. Idle time is rose, darker towards the launch.
  constexpr std::array<Lch, kIterationPartCount> kColors{{{0.86, 0.12, 95},
                                                          {0.72, 0.13, 145},
                                                          {0.74, 0.11, 180},
                                                          {0.70, 0.14, 254},
                                                          {0.66, 0.03, 262},
                                                          {0.62, 0.13, 45},
                                                          {0.75, 0.13, 60},
                                                          {0.68, 0.10, 70},
                                                          {0.70, 0.14, 310},
                                                          {0.48, 0.09, 5},
                                                          {0.53, 0.10, 5},
                                                          {0.80, 0.08, 5},
                                                          {0.60, 0.14, 5},
                                                          {0.66, 0.17, 5},
                                                          {0.60, 0.04, 5}}};
  Lch color = kColors[static_cast<std::size_t>(part)];
  if (!theme.dark) color.lightness -= 0.04;
  return packed_color(color);
}

float draw_serving_title(ImDrawList& list, const ServingState& state, const Box& box,
                         const std::string& title, const std::string& note) {
  const float em = ImGui::GetFontSize();
  const float left = box.left + state.px(14);
  const float y = std::floor(box.top + 0.5F * em);
  float right = left + draw_elided(list, {left, y}, box.width() - state.px(28), state.theme.text, title);
  const float room = box.right - state.px(14) - (right + em);
  if (room > 8 * em && !note.empty())
    right += em + draw_elided(list, {right + em, y}, room, state.theme.text_dim, note);
  return right;
}

}  // namespace kino
