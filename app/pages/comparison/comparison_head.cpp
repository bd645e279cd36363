#include "app/pages/comparison/comparison_head.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/pages/comparison/comparison_texts.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/bar_line.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr float kIntervalPx = 560;
constexpr std::array kKeyTexts{Text::runs_by_name,  Text::runs_by_short,  Text::runs_by_operator,
                               Text::runs_by_shape, Text::runs_by_module, Text::runs_by_step};
static_assert(kKeyTexts.size() == kRunKeyNames.size());

std::uint32_t verdict_color(const ComparisonState& state) {
  if (state.picture == nullptr) return state.theme.accent;
  switch (state.picture->comparison.verdict) {
    case RunVerdict::faster:
      return state.theme.accent;
    case RunVerdict::slower:
    case RunVerdict::not_comparable:
      return state.theme.error;
    case RunVerdict::no_change:
    case RunVerdict::cannot_tell:
      break;
  }
  return state.theme.border;
}

/// Maps changes to positions on screen.
struct ChangeAxis {
  double from = -0.1;
  double to = 0.1;
  float left = 0;
  float right = 1;

  float x_of(double share) const {
    return left + static_cast<float>((std::clamp(share, from, to) - from) / (to - from)) * (right - left);
  }
  double share_at(float x) const {
    return from + static_cast<double>((x - left) / (right - left)) * (to - from);
  }
};

/// Returns an axis that covers the change, its interval, the noise and the gate. Sets `step` to the distance
/// of the ticks. The axis starts and ends at multiples of `step`.
ChangeAxis axis_of(const RunComparison& comparison, double gate, double& step) {
  double from = std::min({-comparison.noise, comparison.decisive().change, -0.02});
  double to = std::max({comparison.noise, comparison.decisive().change, gate, 0.02});
  for (const double end : {comparison.decisive().low, comparison.decisive().high}) {
    if (!std::isfinite(end)) continue;
    from = std::min(from, end);
    to = std::max(to, end);
  }
  const double span = to - from;
  constexpr double kMostTicks = 7;
  step = 0.01;
  for (int i = 0; span / step > kMostTicks; ++i) step *= i % 3 == 1 ? 2.5 : 2;  // 1, 2, 5, 10, ...
  ChangeAxis axis;
  axis.from = std::floor(from / step - 0.3) * step;
  axis.to = std::ceil(to / step + 0.3) * step;
  return axis;
}

/// Label of the gate, right of its line if there is room.
struct GateLabel {
  std::string words;
  float left = 0;
  float right = 0;
};

GateLabel gate_label(const ComparisonState& state, const ChangeAxis& axis) {
  GateLabel label{filled(Text::runs_gate, {signed_percent(state.gate)}), 0, 0};
  const float x = std::floor(axis.x_of(state.gate)) + 0.5F;
  const float width = text_width(label.words);
  const bool right_of_it = x + state.px(5) + width < state.boxes.head.right - state.px(4);
  label.left = right_of_it ? x + state.px(5) : x - state.px(5) - width;
  label.right = label.left + width;
  return label;
}

void draw_gate(ImDrawList& list, ComparisonState& state, const ChangeAxis& axis, float top, float bottom) {
  const float x = std::floor(axis.x_of(state.gate)) + 0.5F;
  const float half = state.px(6);
  place_button("gate", {x - half, top, x + half, bottom});
  const std::string percent = signed_percent(state.gate);
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    ImGui::SetTooltip("%s", filled(Text::runs_gate_hint, {percent}).c_str());
  }
  if (ImGui::IsItemActive()) {
    const double share = axis.share_at(ImGui::GetIO().MousePos.x);
    state.gate = std::round(std::clamp(share, axis.from, axis.to) * 1000) / 1000;
  }
  const std::uint32_t color = state.theme.warning;
  const float dash = state.px(4);
  const auto dashes = static_cast<int>(std::ceil((bottom - top) / (2 * dash)));
  for (int i = 0; i < dashes; ++i) {
    const float y = top + static_cast<float>(2 * i) * dash;
    list.AddLine({x, y}, {x, std::min(bottom, y + dash)}, color);
  }
  const GateLabel label = gate_label(state, axis);
  list.AddText({label.left, top - state.px(2)}, color, label.words.c_str());
}

/// Returns the left end of the label of the change, which is centered at `x` if the label of the gate leaves
/// room there, and beside that label otherwise.
float change_label_left(const ComparisonState& state, const ChangeAxis& axis, float x, float width) {
  const float left = std::clamp(x - width / 2, axis.left, axis.right);
  const GateLabel gate = gate_label(state, axis);
  const float gap = state.px(8);
  if (left + width + gap <= gate.left || left >= gate.right + gap) return std::floor(left);
  const bool fits = gate.right + gap + width < state.boxes.head.right;
  return std::floor(x >= axis.x_of(state.gate) && fits ? gate.right + gap : gate.left - gap - width);
}

/// Fills the range of changes that are too small to be detected. The filling is a pattern of dots.
void draw_undetectable(ImDrawList& list, const ComparisonState& state, const ChangeAxis& axis, float top,
                       float bottom) {
  const Theme& theme = state.theme;
  const double detectable = state.told()->decisive().detectable;
  const ImVec2 from{axis.x_of(-detectable), top};
  const ImVec2 to{axis.x_of(detectable), bottom};
  list.AddRectFilled(from, to, mixed(theme.panel, theme.text_dim, 0.10));
  const float dot = state.px(6);
  const auto columns = static_cast<int>((to.x - from.x) / dot);
  const auto rows = static_cast<int>((to.y - from.y) / dot);
  for (int i = 0; i < columns * rows; ++i) {
    const int row = i / columns;
    const float x = from.x + dot * (0.5F + static_cast<float>(i % columns));
    const float y = from.y + dot * (0.5F + static_cast<float>(row));
    list.AddRectFilled({x, y}, {x + 1, y + 1}, mixed(theme.panel, theme.text_dim, 0.55));
  }
}

void draw_ticks(ImDrawList& list, const ComparisonState& state, const ChangeAxis& axis, double tick,
                float y) {
  const auto ticks = static_cast<int>(std::lround((axis.to - axis.from) / tick));
  for (int i = 0; i <= ticks; ++i) {
    const double at = axis.from + i * tick;
    const double share = std::abs(at) < tick / 2 ? 0 : at;
    const std::string words = share == 0 ? "0" : signed_percent(share);
    const float width = text_width(words);
    const float x = std::clamp(axis.x_of(share) - width / 2, axis.left - state.px(20),
                               state.boxes.head.right - width - 2);
    list.AddText({std::floor(x), y}, state.theme.text_dim, words.c_str());
  }
}

/// Draws the confidence interval, hatched if B is slower and the verdict states this.
void draw_range(ImDrawList& list, const ComparisonState& state, const ChangeAxis& axis, float middle,
                bool told) {
  const StepChange& step = state.told()->decisive();
  const std::uint32_t color = color_of(direction_of(step.change, told), state.theme);
  const float from = axis.x_of(step.low);
  const float to = axis.x_of(step.high);
  const float half = state.px(5);
  list.AddRectFilled({from, middle - half}, {to, middle + half}, with_alpha(color, 150));
  if (step.change > 0 && told)
    draw_hatching(list, {from, middle - half}, {to, middle + half}, state.theme.panel, state.scale);
  list.AddLine({from, middle - state.px(9)}, {from, middle + state.px(9)}, color, state.px(2));
  list.AddLine({to, middle - state.px(9)}, {to, middle + state.px(9)}, color, state.px(2));
}

/// Draws the change, its interval and the gate on an axis that marks noise and undetectable changes.
void draw_interval(ImDrawList& list, ComparisonState& state, float left, float right) {
  const RunComparison& comparison = *state.told();
  const StepChange& step = comparison.decisive();
  if (!std::isfinite(step.change)) return;
  double tick = 0;
  ChangeAxis axis = axis_of(comparison, state.gate, tick);
  axis.left = left;
  axis.right = right;
  const Box& head = state.boxes.head;
  const float top = head.top + state.px(26);
  const float bottom = head.top + state.px(58);
  const float middle = std::floor((top + bottom) / 2);
  const Theme& theme = state.theme;
  list.AddLine({left, bottom + 0.5F}, {right, bottom + 0.5F}, theme.border);
  if (std::isfinite(step.detectable)) draw_undetectable(list, state, axis, top, bottom);
  list.AddRectFilled({axis.x_of(-comparison.noise), top}, {axis.x_of(comparison.noise), bottom},
                     mixed(theme.panel, theme.text_dim, 0.30));
  const float zero = std::floor(axis.x_of(0)) + 0.5F;
  list.AddLine({zero, top - state.px(4)}, {zero, bottom}, theme.text_dim);
  draw_ticks(list, state, axis, tick, bottom + state.px(3));
  const bool told = comparison.verdict == RunVerdict::faster || comparison.verdict == RunVerdict::slower;
  if (std::isfinite(step.low)) draw_range(list, state, axis, middle, told);
  const float x = axis.x_of(step.change);
  const float side = state.px(6);
  list.AddQuadFilled({x - side, middle}, {x, middle - side}, {x + side, middle}, {x, middle + side},
                     theme.text);
  const std::string words = signed_percent(step.change) + (told ? "" : " ~");
  const float width = text_width(words);
  const float words_x = change_label_left(state, axis, x, width);
  list.AddText({words_x, head.top + state.px(7)}, theme.text, words.c_str());
  for (const double end : {step.low, step.high}) {
    if (!std::isfinite(end)) continue;
    const std::string of_end = signed_percent(end);
    const float end_px = text_width(of_end);
    const float end_x = std::floor(axis.x_of(end) - end_px / 2);
    const float gate_x = axis.x_of(state.gate);
    const bool room = (end_x + end_px + state.px(8) < words_x || end_x > words_x + width + state.px(8)) &&
                      (end_x + end_px < gate_x - state.px(4) || end_x > gate_x + state.px(90));
    if (room) list.AddText({end_x, head.top + state.px(7)}, theme.text_dim, of_end.c_str());
  }
  draw_gate(list, state, axis, top - state.px(12), bottom);
}

void draw_refused_buttons(ComparisonState& state, float right) {
  const std::string label = tr(Text::runs_anyway);
  const float width = flat_button_width(label.c_str());
  const Box& head = state.boxes.head;
  ImGui::SetCursorScreenPos({right - width, head.top + state.px(20)});
  if (flat_button(label.c_str(), hint_with_key(Text::runs_anyway_hint, CommandId::compare_anyway).c_str()))
    state.force = true;
}

void draw_verdict(ImDrawList& list, ComparisonState& state) {
  const Box& head = state.boxes.head;
  list.AddRectFilled(left_top(head), right_bottom(head), state.theme.panel);
  list.AddRectFilled(left_top(head), {head.left + state.px(4), head.bottom}, verdict_color(state));
  float right = head.right - state.px(18);
  const bool refused =
      state.picture != nullptr && state.picture->comparison.verdict == RunVerdict::not_comparable;
  if (state.told() != nullptr) {
    const float width = std::min(state.px(kIntervalPx), head.width() * 0.38F);
    draw_interval(list, state, right - width, right - state.px(14));
    right -= width + state.px(36);
  } else if (refused) {
    draw_refused_buttons(state, right);
    right -= state.px(220);
  }
  const float left = head.left + state.px(18);
  ImGui::PushFont(heading_font());
  const float used = draw_elided(list, {left, std::floor(head.top + state.px(10))}, right - left,
                                 state.theme.text, verdict_sentence(state));
  if (const RunComparison* comparison = state.told(); comparison != nullptr) {
    const bool told = comparison->verdict == RunVerdict::faster || comparison->verdict == RunVerdict::slower;
    const std::string change = told ? signed_percent(comparison->decisive().change) : "~";
    const std::uint32_t color = told
                                    ? color_of(direction_of(comparison->decisive().change, true), state.theme)
                                    : state.theme.text_dim;
    draw_elided(list, {left + used + state.px(12), std::floor(head.top + state.px(10))},
                right - left - used - state.px(12), color, change);
  }
  ImGui::PopFont();
  const float line = std::floor(head.top + state.px(46));
  const std::string reasons = verdict_reasons(state);
  const std::string statistics = verdict_statistics(state);
  const float size = ImGui::GetFontSize();
  draw_elided(list, {left, line}, right - left, state.theme.text, reasons);
  draw_elided(list, {left, line + std::round(size * 1.5F)}, right - left, state.theme.text_dim, statistics);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = Box{left, line, right, line + size * 3}.contains(mouse.x, mouse.y);
  const bool cut = text_width(reasons) > right - left || text_width(statistics) > right - left;
  if (over && cut && ImGui::IsWindowHovered())
    ImGui::SetTooltip("%s\n%s", reasons.c_str(), statistics.c_str());
}

/// Draws the popup in which the user selects the run and the steps of one side.
void draw_side_popup(ComparisonState& state, std::size_t side, const OpenSides& open) {
  if (!ImGui::BeginPopup("side")) return;
  if (popup_closed_by_escape()) return;
  ComparedSide& chosen = state.sides[side];
  for (const ComparedSide& other : open) {
    ImGui::PushID(&other);
    if (ImGui::MenuItem(escaped(other.title).c_str(), nullptr, other.same_run(chosen))) {
      chosen = other;
      const auto labels = different_labels({state.sides[0].title, state.sides[1].title});
      for (std::size_t i = 0; i < kSides; ++i) state.sides[i].label = labels[i];
      ++state.read;
    }
    ImGui::PopID();
  }
  if (!chosen.selection.ranges.empty()) {
    ImGui::Separator();
    if (ImGui::MenuItem(tr(Text::runs_all_steps))) {
      chosen.selection = {};
      ++state.read;
    }
  } else if (state.picture != nullptr && state.picture->runs->records[side].has_steps) {
    ImGui::Separator();
    ImGui::SetNextItemWidth(state.px(110));
    // The fields contain positions that start at 1, and the last one is included.
    int first = static_cast<int>(chosen.selection.first_step.value_or(0)) + 1;
    if (ImGui::InputInt(tr(Text::runs_first_step), &first) && first >= 1) {
      chosen.selection.first_step = first - 1;
      ++state.read;
    }
    const auto shown = static_cast<int>(state.picture->runs->records[side].windows.size());
    int last =
        static_cast<int>(chosen.selection.end_step.value_or(chosen.selection.first_step.value_or(0) + shown));
    ImGui::SetNextItemWidth(state.px(110));
    if (ImGui::InputInt(tr(Text::runs_last_step), &last) && last >= first) {
      chosen.selection.end_step = last;
      ++state.read;
    }
    if (ImGui::MenuItem(tr(Text::runs_drop_last), nullptr, chosen.selection.drop_last)) {
      chosen.selection.drop_last = !chosen.selection.drop_last;
      ++state.read;
    }
    if (ImGui::MenuItem(tr(Text::runs_all_steps))) {
      chosen.selection = {};
      ++state.read;
    }
  }
  ImGui::EndPopup();
}

/// Draws the letter of a side: A in a hollow square, B in a filled square.
void draw_letter(ImDrawList& list, const ComparisonState& state, ImVec2 at, std::size_t side) {
  const float size = state.px(18);
  const Theme& theme = state.theme;
  const ImVec2 to{at.x + size, at.y + size};
  if (side == 0) {
    list.AddRect(at, to, theme.text_dim, state.px(3));
  } else {
    list.AddRectFilled(at, to, theme.text, state.px(3));
  }
  const char* const letter = side == 0 ? "A" : "B";
  list.AddText({std::floor(at.x + (size - text_width(letter)) / 2),
                std::floor(at.y + (size - ImGui::GetFontSize()) / 2)},
               side == 0 ? theme.text : theme.panel, letter);
}

void draw_side(ImDrawList& list, BarLine& line, ComparisonState& state, std::size_t side, float most,
               const OpenSides& open) {
  const ImVec2 at = line.take(state.px(18), state.px(18));
  if (at.x < 0) return;
  draw_letter(list, state, at, side);
  std::string label = fitted_in_middle(escaped(state.sides[side].label), most);
  const std::string steps = steps_text(state, side);
  if (!steps.empty()) label += "  " + steps;
  ImGui::PushID(static_cast<int>(side));
  std::string hint = escaped(state.sides[side].path.string());
  if (state.sides[side].job != nullptr)
    hint += "\n" + escaped(state.sides[side].job->verdict) + "\n" + escaped(state.sides[side].job->reasons);
  if (const std::string why = steps_hint(state, side); !why.empty()) hint += "\n" + why;
  if (line.button("side", label, hint)) ImGui::OpenPopup("side");
  draw_side_popup(state, side, open);
  ImGui::PopID();
}

void draw_warnings(BarLine& line, const ComparisonState& state) {
  if (state.picture == nullptr) return;
  const RunComparison& comparison = state.picture->comparison;
  std::string hint;
  std::size_t warnings = 0;
  for (const CheckResult result : {CheckResult::refuses, CheckResult::warns}) {
    for (const RunCheck& check : comparison.checks) {
      if (check.result != result) continue;
      ++warnings;
      hint += (hint.empty() ? "" : "\n") + in_language(check.what) + ": " + in_language(check.outcome);
    }
  }
  if (comparison.forced) {
    line.text(state.theme.error, tr(Text::runs_forced), hint);
  } else if (warnings > 0) {
    std::string label("\u25b2 ");
    label.append(counted(Text::runs_one_warning, Text::runs_warnings, warnings));
    if (line.button("warnings", label, hint)) ImGui::OpenPopup("warning_list");
    place_popup_at_item();
    if (ImGui::BeginPopup("warning_list")) {
      if (popup_closed_by_escape()) return;
      ImGui::PushTextWrapPos(40 * ImGui::GetFontSize());
      colored_text(state.theme.text, hint);
      ImGui::PopTextWrapPos();
      ImGui::EndPopup();
    }
  } else {
    line.text(state.theme.text_dim, tr(Text::runs_checks_match), {});
  }
}

/// Draws one button per key by which rows are joined. If the bar is too narrow, draws only the current key.
void draw_keys(ImDrawList& list, ComparisonState& state, float least_left) {
  const Box& bar = state.boxes.bar;
  std::array<float, kKeyTexts.size()> widths{};
  float all = 0;
  for (std::size_t i = 0; i < kKeyTexts.size(); ++i) all += widths[i] = flat_button_width(tr(kKeyTexts[i]));
  const auto now = static_cast<std::size_t>(state.key);
  const float y = std::floor(bar.top + (bar.height() - ImGui::GetFrameHeight()) / 2);
  const std::string hint = hint_with_key(Text::command_compare_key, CommandId::compare_key);
  if (bar.right - state.px(12) - all < least_left) {
    ImGui::SetCursorScreenPos({bar.right - state.px(12) - widths[now], y});
    if (flat_button(tr(kKeyTexts[now]), hint.c_str()))
      state.key = static_cast<RunKey>((now + 1) % kKeyTexts.size());
    return;
  }
  float x = bar.right - state.px(12) - all;
  for (std::size_t i = 0; i < kKeyTexts.size(); ++i) {
    if (i == now) {
      list.AddRectFilled({x, y}, {x + widths[i], y + ImGui::GetFrameHeight()},
                         mixed(state.theme.panel, state.theme.accent, 0.35), state.px(4));
    }
    ImGui::SetCursorScreenPos({x, y});
    ImGui::PushID(static_cast<int>(i));
    if (flat_button(tr(kKeyTexts[i]), hint.c_str())) state.key = static_cast<RunKey>(i);
    ImGui::PopID();
    x += widths[i];
  }
}

void draw_bar(ImDrawList& list, ComparisonState& state, const OpenSides& open) {
  const Box& bar = state.boxes.bar;
  list.AddRectFilled(left_top(bar), right_bottom(bar), state.theme.group_header);
  list.AddLine({bar.left, bar.bottom - 0.5F}, {bar.right, bar.bottom - 0.5F}, state.theme.border);
  BarLine line(list, bar, state.theme, state.scale);
  const float most = std::max(state.px(60), bar.width() * 0.14F);
  draw_side(list, line, state, 0, most, open);
  draw_side(list, line, state, 1, most, open);
  if (line.button("swap", tr(Text::runs_swap), hint_with_key(Text::command_swap_runs, CommandId::swap_runs)))
    state.swap();
  draw_warnings(line, state);
  draw_keys(list, state, bar.right - line.room());
}

}  // namespace

void draw_comparison_head(ImDrawList& list, ComparisonState& state, const OpenSides& open) {
  draw_verdict(list, state);
  draw_bar(list, state, open);
}

}  // namespace kino
