#include "app/pages/job/step_strip.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

/// Returns the position of a step on screen within the strip; nullopt if the step is not visible.
std::optional<Box> strip_box(const JobState& state, std::size_t step) {
  const std::optional<TimeRange>& range = state.step_ranges[step];
  if (!range) return std::nullopt;
  auto end_ns = static_cast<double>(range->end_ns);
  for (std::size_t next = step + 1; next < state.step_ranges.size(); ++next) {
    if (!state.step_ranges[next]) continue;
    // The box ends where the next step starts on any rank, because ranks start a step at different times.
    if (state.step_ranges[next]->begin_ns > range->begin_ns)
      end_ns = std::min(end_ns, static_cast<double>(state.step_ranges[next]->begin_ns));
    break;
  }
  const Box& box = state.boxes.steps;
  const TimeView& view = state.navigation.view();
  const double from = view.px_from_ns(static_cast<double>(range->begin_ns));
  const double to = view.px_from_ns(end_ns);
  if (to < 0 || from >= static_cast<double>(box.width())) return std::nullopt;
  const auto on_screen = [&](double px) {
    return std::round(box.left + static_cast<float>(std::clamp(px, 0.0, static_cast<double>(box.width()))));
  };
  return Box{on_screen(from), box.top + 1, on_screen(to), box.bottom - 1};
}

/// Returns the duration of the median rank, and the difference between the longest and the shortest duration:
/// "218 ms, spread 3.1 ms".
std::string length_words(const StepLength& length) {
  const std::string median = text_from_duration(length.median_ns);
  const std::int64_t spread_ns = length.longest_ns - length.shortest_ns;
  return spread_ns == 0 ? median : filled(Text::job_step_length, {median, text_from_duration(spread_ns)});
}

}  // namespace

void handle_step_strip(JobState& state) {
  const Box& box = state.boxes.steps;
  if (state.picture == nullptr || box.height() < 1) return;
  place_button("steps", box);
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (std::size_t i = 0; i < state.step_ranges.size(); ++i) {
    const std::optional<Box> of_step = strip_box(state, i);
    if (!of_step || mouse.x < of_step->left || mouse.x >= of_step->right) continue;
    const StepLength length = state.step_lengths[i].value_or(StepLength());
    ImGui::SetTooltip(
        "%s", filled(Text::job_step_title,
                     {std::to_string(state.picture->steps[i].number), text_from_duration(length.median_ns),
                      text_from_duration(length.shortest_ns), text_from_duration(length.longest_ns),
                      text_from_duration(state.step_ranges[i]->length_ns())})
                  .c_str());
    if (ImGui::IsItemClicked()) state.go_to(i);
    return;
  }
}

void draw_step_strip(ImDrawList& list, const JobState& state) {
  const Box& box = state.boxes.steps;
  if (state.picture == nullptr || box.height() < 1) return;
  list.AddRectFilled(left_top(box), right_bottom(box), state.theme.panel);
  const float y = std::floor(box.top + (box.height() - ImGui::GetFontSize()) / 2);
  float free = box.left;  // right end of the last drawn step: at most one step per px is drawn
  for (std::size_t i = 0; i < state.step_ranges.size(); ++i) {
    const std::optional<Box> of_step = strip_box(state, i);
    if (!of_step || of_step->right <= free) continue;
    free = of_step->right;
    const bool selected = state.step == i;
    list.AddRectFilled(
        {of_step->left, of_step->top}, {of_step->right - 1, of_step->bottom},
        selected ? mixed(state.theme.group_header, state.theme.accent, 0.35) : state.theme.group_header);
    float x = of_step->left + state.px(5);
    const float end = of_step->right - state.px(4);
    x += draw_elided(list, {x, y}, end - x, state.theme.text,
                     filled(Text::job_step_name, {std::to_string(state.picture->steps[i].number)}));
    if (const std::optional<StepLength>& length = state.step_lengths[i]) {
      draw_elided(list, {x + state.px(6), y}, end - x - state.px(6), state.theme.text_dim,
                  length_words(*length));
    }
  }
}

}  // namespace kino
