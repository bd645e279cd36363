#include "app/pages/timeline/step_ruler.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/ui/commands/commands.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/theme.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/step_words.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/time_base.hpp"

namespace kino {
namespace {

constexpr double kMargin = 0.02;  // margin around a fitted step, as a share of its length
constexpr double kFills = 2;      // a step fills the view if the view is at most this many steps long

std::string title_of(const Step& step) { return step_title(step.number); }

/// Returns the deviation from the median as text, such as "+34 %".
std::string deviation(std::int64_t length_ns, std::int64_t median_ns) {
  const double ratio =
      static_cast<double>(length_ns) / static_cast<double>(std::max<std::int64_t>(1, median_ns));
  return formatted("%+.0f %%", (ratio - 1) * 100);
}

/// An interval of the row as it is drawn.
struct IntervalStyle {
  std::uint32_t color = 0;         ///< of its edge and fill
  std::uint32_t length_color = 0;  ///< of the text with its length
  bool hatched = false;
  std::string label;
};

void draw_step(ImDrawList& list, const TimelineState& state, const RulerScale& ticks, std::int64_t length_ns,
               const StepMark& mark, const IntervalStyle& style, const Theme& theme) {
  const Box& box = state.boxes.steps;
  const float left = box.left + mark.left;
  const float right = box.left + mark.right;
  const float top = box.top + state.px(2);
  const float bottom = box.bottom - state.px(3);
  list.AddRectFilled({left, top}, {right, bottom}, with_alpha(style.color, mark.hovered ? 0x48 : 0x24));
  if (style.hatched) {
    add_hatching(list, {std::max(left, box.left), top}, {std::min(right, box.right), bottom},
                 with_alpha(style.color, 0x60), state.scale);
  }
  list.AddRectFilled({left, top}, {left + std::max(1.0F, state.px(1)), bottom}, style.color);
  const float padding = state.px(6);
  const float text_left = std::max(left, box.left) + padding;
  const float room = std::min(right, box.right) - padding - text_left;
  const std::string length = ruler_duration_text(ticks, length_ns);
  const float gap = state.px(8);
  const float length_width = text_width(length);
  if (length_width > room) return;
  const float y = std::floor(top + (bottom - top - ImGui::GetFontSize()) / 2);
  float x = text_left;
  const float label_width = text_width(style.label);
  if (label_width + gap + length_width <= room) {
    draw_elided(list, {x, y}, label_width + 1, theme.text, style.label);
    x += label_width + gap;
  }
  draw_elided(list, {x, y}, length_width + 1, style.length_color, length);
}

}  // namespace

std::size_t next_step_in_view(const Steps& steps, const TimeView& view, int direction) {
  const double middle = view.begin_ns + (view.end_ns() - view.begin_ns) / 2;
  const double length = view.end_ns() - view.begin_ns;
  const std::vector<Step>& all = steps.steps;
  for (std::size_t i = all.size(); i-- > 0;) {
    const TimeRange& range = all[i].range;
    const bool inside =
        middle >= static_cast<double>(range.begin_ns) && middle < static_cast<double>(range.end_ns);
    if (!inside || length > kFills * static_cast<double>(range.length_ns())) continue;
    if (direction > 0) return i + 1 < all.size() ? i + 1 : Steps::kNone;
    return i > 0 ? i - 1 : Steps::kNone;
  }
  if (direction > 0) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (static_cast<double>(all[i].range.begin_ns) >= view.begin_ns) return i;
    }
  } else {
    for (std::size_t i = all.size(); i-- > 0;) {
      if (static_cast<double>(all[i].range.end_ns) <= view.end_ns()) return i;
    }
  }
  return Steps::kNone;
}

std::vector<StepMark> step_marks(const Steps& steps, const TimeView& view, float width_px,
                                 std::size_t hovered) {
  constexpr double kFar = 1e6;
  const auto x_of = [&](std::int64_t time_ns) {
    const double x = view.px_from_ns(static_cast<double>(time_ns));
    return std::floor(static_cast<float>(std::clamp(x, -kFar, kFar)));
  };
  std::vector<StepMark> marks;
  StepMark mark;
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    const Step& step = steps.steps[i];
    mark.outlier = mark.outlier || step.outlier;
    mark.hovered = mark.hovered || i == hovered;
    mark.left = x_of(step.range.begin_ns);
    if (mark.left > width_px) break;
    const bool last = i + 1 == steps.steps.size();
    const float next = last ? width_px + 1 : x_of(steps.steps[i + 1].range.begin_ns);
    if (next == mark.left) continue;
    mark.step = i;
    mark.right = std::max(mark.left + 1, std::min(next, x_of(step.range.end_ns)));
    if (mark.right >= 0) marks.push_back(mark);
    mark = {};
  }
  return marks;
}

StepRuler::StepRuler(const std::shared_ptr<const Trace>& trace, WorkerPool& pool,
                     std::function<void()> wake) {
  found_.start(pool, std::move(wake),
               [trace](const std::stop_token& stop) { return find_ruler_steps(*trace, stop); });
}

void StepRuler::update(TimelineState& state) {
  const RulerSteps* found = found_.poll();
  if (found == nullptr) return;
  ranges_.reserve(found->steps.steps.size());
  for (const Step& step : found->steps.steps) ranges_.push_back(step.range);
  state.steps_shown = !ranges_.empty();
}

const Steps* StepRuler::steps() const {
  static const Steps none;
  const RulerSteps* const found = found_.value();
  if (found == nullptr) return nullptr;
  return found->training() ? &found->steps : &none;
}

std::size_t StepRuler::step_at_mouse(const TimelineState& state) const {
  if (ranges_.empty()) return Steps::kNone;
  const double time = state.navigation.view().ns_from_px(ImGui::GetIO().MousePos.x - state.boxes.steps.left);
  constexpr double kFar = 9e18;
  return shown().at(static_cast<std::int64_t>(std::floor(std::clamp(time, -kFar, kFar))));
}

void StepRuler::show(TimelineState& state, std::size_t step) const {
  if (step < ranges_.size()) state.navigation.fit(ranges_[step], kMargin);
}

void StepRuler::handle(TimelineState& state, bool keyboard) {
  hovered_ = Steps::kNone;
  if (ranges_.empty()) return;
  const Box& box = state.boxes.steps;
  ImGui::SetCursorScreenPos({box.left, box.top});
  const bool clicked =
      ImGui::InvisibleButton("steps", {std::max(1.0F, box.width()), std::max(1.0F, box.height())});
  if (ImGui::IsItemHovered()) hovered_ = step_at_mouse(state);
  if (hovered_ != Steps::kNone) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const Step& step = shown().steps[hovered_];
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      show(state, hovered_);
    } else if (clicked && ImGui::GetIO().KeyShift) {
      state.marked.set(step.range);
    } else if (clicked && step.slice != kNoSlice) {
      state.choose({step.slice, kNoInstant}, false);
      state.turn_to_selection();
    }
  }
  if (!keyboard) return;
  const TimeView& target = state.navigation.target();
  if (command_pressed(CommandId::next_step)) show(state, next_step_in_view(shown(), target, 1));
  if (command_pressed(CommandId::previous_step)) show(state, next_step_in_view(shown(), target, -1));
}

void StepRuler::draw_step_lines(const Step& step, const std::string& device, const Theme& theme) const {
  const std::int64_t median = shown().median_ns;
  std::string length = exact_time_text(step.range.length_ns());
  if (ranges_.size() > 1) {
    length = filled(Text::steps_against_median,
                    {length, deviation(step.range.length_ns(), median), exact_time_text(median)});
  }
  colored_text(theme.text, title_of(step));
  colored_text(step.outlier ? theme.warning : theme.text, length);
  if (step.gpu_range) {
    const std::string text = filled(Text::steps_on_gpu, {exact_time_text(step.gpu_range->length_ns())});
    colored_text(theme.text, with_device_word(text, device));
  }
  colored_text(theme.text_dim, tr(Text::steps_hint));
}

void StepRuler::draw_tooltip(std::size_t step, const std::string& device, const Theme& theme) const {
  const Step& hovered = shown().steps[step];
  ImGui::BeginTooltip();
  if (shows_iterations()) {
    const RulerIteration& iteration = found_.value()->iterations[step];
    colored_text(theme.text, filled(Text::iterations_number, {std::to_string(hovered.number)}));
    for (const std::string& line : iteration_lines(iteration, hovered.range.length_ns()))
      colored_text(theme.text, line);
    if (!iteration.left_out.empty()) {
      colored_text(theme.text_dim,
                   filled(Text::iterations_left_out, {escaped(in_language(iteration.left_out))}));
    }
    colored_text(theme.text_dim, tr(Text::iterations_hint));
  } else {
    draw_step_lines(hovered, device, theme);
  }
  ImGui::EndTooltip();
}

std::string StepRuler::title() const {
  return shows_iterations() ? counted(Text::iterations_one, Text::iterations_several, ranges_.size())
                            : counted(Text::steps_one, Text::steps_several, ranges_.size());
}

void StepRuler::draw_interval(ImDrawList& list, const TimelineState& state, const StepMark& mark,
                              const Theme& theme) const {
  const RulerScale ticks = ruler_scale(state.navigation.view(), state.px(kTickDistancePx));
  const Step& step = shown().steps[mark.step];
  IntervalStyle style;
  if (shows_iterations()) {
    const RulerIteration& iteration = found_.value()->iterations[mark.step];
    style.color = phase_color(iteration.phase, theme);
    style.length_color = theme.text_dim;
    style.hatched = !iteration.left_out.empty();
    style.label = iteration_label(step.number, iteration);
  } else {
    style.color = mark.outlier ? theme.warning : theme.text_dim;
    style.length_color = step.outlier ? theme.warning : theme.text_dim;
    style.label = filled(Text::steps_number, {std::to_string(step.number)});
  }
  draw_step(list, state, ticks, step.range.length_ns(), mark, style, theme);
}

void StepRuler::draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const {
  const Box& box = state.boxes.steps;
  if (box.height() < 1 || ranges_.empty()) return;
  const Box& corner = state.boxes.steps_corner;
  list.AddRectFilled({corner.left, corner.top}, {box.right, box.bottom}, theme.panel);
  const RulerScale ticks = ruler_scale(state.navigation.view(), state.px(kTickDistancePx));
  const bool median = ranges_.size() > 1 && !shows_iterations();
  const float y = std::floor(corner.top + (corner.height() - ImGui::GetFontSize()) / 2);
  const float inset = state.px(12);
  draw_elided(list, {corner.left + inset, y}, corner.width() - 2 * inset, theme.text_dim,
              median ? filled(Text::steps_median, {title(), ruler_duration_text(ticks, shown().median_ns)})
                     : title());
  list.PushClipRect({box.left, box.top}, {box.right, box.bottom}, true);
  for (const StepMark& mark : step_marks(shown(), state.navigation.view(), box.width(), hovered_))
    draw_interval(list, state, mark, theme);
  list.PopClipRect();
  list.AddLine({corner.left, box.bottom - 0.5F}, {box.right, box.bottom - 0.5F}, theme.border);
  list.AddLine({box.left - 0.5F, box.top}, {box.left - 0.5F, box.bottom}, theme.border);
  if (hovered_ != Steps::kNone) draw_tooltip(hovered_, device_word(*state.trace), theme);
}

}  // namespace kino
