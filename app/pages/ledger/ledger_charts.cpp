#include "app/pages/ledger/ledger_charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

void draw_heading(ImDrawList& list, const LedgerState& state, const Box& box, Text title, Text note) {
  const float em = ImGui::GetFontSize();
  const float left = box.left + state.px(14);
  const float y = std::floor(box.top + 0.5F * em);
  const float used = draw_elided(list, {left, y}, box.width() - state.px(28), state.theme.text, tr(title));
  const float room = box.right - state.px(14) - (left + used + em);
  if (room > 8 * em) draw_elided(list, {left + used + em, y}, room, state.theme.text_dim, tr(note));
}

/// Formats all times of one chart in one unit, which is chosen by the longest.
class TimeFormat {
 public:
  explicit TimeFormat(std::int64_t longest_ns) {
    constexpr std::array kUnits{Unit{1'000'000'000, "s"}, Unit{1'000'000, "ms"}, Unit{1'000, "µs"}};
    const auto fits = std::ranges::find_if(kUnits, [&](const Unit& unit) { return longest_ns >= unit.ns; });
    unit_ = fits != kUnits.end() ? *fits : Unit{1, "ns"};
    if (unit_.ns == 1) return;
    const bool is_short = longest_ns < 100 * unit_.ns;
    format_ = is_short ? "%.3f" : "%.2f";
    least_ = is_short ? 0.001 : 0.01;
  }
  /// Returns the number without the unit, such as "12.345"; "< 0.001" if it would be rounded to 0.
  std::string number(std::int64_t ns) const {
    const std::string least = formatted(format_, least_);
    const double value = static_cast<double>(ns) / static_cast<double>(unit_.ns);
    return ns > 0 && value < least_ / 2 ? "< " + least : formatted(format_, value);
  }
  std::string text(std::int64_t ns) const { return number(ns) + " " + unit_.name; }

 private:
  struct Unit {
    std::int64_t ns;
    const char* name;
  };
  Unit unit_{};
  const char* format_ = "%.0f";
  double least_ = 1;
};

/// Draws text that ends at `right`.
void draw_figure(ImDrawList& list, float right, float y, std::uint32_t color, const std::string& words) {
  list.AddText({std::floor(right - text_width(words)), y}, color, words.c_str());
}

std::string share_text(std::int64_t ns, std::int64_t of_ns) {
  return of_ns > 0 ? text_from_share(static_cast<double>(ns) / static_cast<double>(of_ns)) : std::string();
}

/// Returns the explanation of a row.
Text explanation_of(StepRow row) {
  switch (row) {
    case StepRow::matrix_peak:
      return Text::ledger_row_matrix_peak;
    case StepRow::matrix_memory:
      return Text::ledger_row_matrix_memory;
    case StepRow::matrix_loss:
      return Text::ledger_row_matrix_loss;
    case StepRow::matrix_unknown:
      return Text::ledger_row_matrix_unknown;
    case StepRow::memory_roof:
      return Text::ledger_row_memory_roof;
    case StepRow::memory_loss:
      return Text::ledger_row_memory_loss;
    case StepRow::memory_unknown:
      return Text::ledger_row_memory_unknown;
    case StepRow::recompute:
      return Text::ledger_row_recompute;
    case StepRow::optimizer:
      return Text::ledger_row_optimizer;
    case StepRow::kernel_other:
      return Text::ledger_row_kernel_other;
    case StepRow::comm_waiting:
      return Text::ledger_row_comm_waiting;
    case StepRow::comm_moving:
      return Text::ledger_row_comm_moving;
    case StepRow::comm_unsplit:
      return Text::ledger_row_comm_unsplit;
    case StepRow::comm_p2p:
      return Text::ledger_row_comm_p2p;
    case StepRow::copy:
      return Text::ledger_row_copy;
    case StepRow::idle_loader:
      return Text::ledger_row_idle_loader;
    case StepRow::idle_sync:
      return Text::ledger_row_idle_sync;
    case StepRow::idle_malloc:
      return Text::ledger_row_idle_malloc;
    case StepRow::idle_gc:
      return Text::ledger_row_idle_gc;
    case StepRow::idle_bubble:
      return Text::ledger_row_idle_bubble;
    case StepRow::idle_unknown:
      return Text::ledger_row_idle_unknown;
    case StepRow::idle_tail:
      return Text::ledger_row_idle_tail;
    case StepRow::idle_launch:
      return Text::idle_launching_hint;
    case StepRow::idle_lock:
    case StepRow::idle_dispatch:
    case StepRow::idle_python:
    case StepRow::idle_silent:
      break;
  }
  return Text::idle_late_part_hint;
}

/// Draws the waterfall: one bar per row from top to bottom, each starting where the last ended.
class RowChart {
 public:
  RowChart(ImDrawList& list, LedgerState& state)
      : list_(list),
        state_(state),
        step_(state.shown_step()),
        length_ns_(std::max<std::int64_t>(1, step_.range.length_ns())),
        format_(length_ns_) {
    const Box& box = state.boxes.waterfall;
    const float em = ImGui::GetFontSize();
    name_ = box.left + state.px(14);
    share_ = box.right - state.px(14);
    time_ = share_ - 4.6F * em;
    bars_ = name_ + std::min(17 * em, box.width() * 0.42F);
    bars_end_ = std::max(bars_ + 1, time_ - 5.2F * em);
    top_ = box.top + 2.2F * em;
    const float room = box.bottom - state.px(6) - top_ - 1.4F * em;
    row_ = std::floor(std::clamp(room / static_cast<float>(state.rows.size() + 1), em * 1.1F, em * 2.1F));
  }

  void draw() {
    draw_axis();
    float y = top_ + 1.4F * ImGui::GetFontSize();
    std::int64_t before_ns = 0;
    for (const StepRow row : state_.rows) {
      draw_row(row, y, before_ns);
      before_ns += step_.times[row];
      y += row_;
    }
    list_.AddLine({bars_, y + 0.5F}, {bars_end_, y + 0.5F}, state_.theme.border);
    const float text_y = y + (row_ - ImGui::GetFontSize()) / 2;
    list_.AddText({name_, text_y}, state_.theme.text, tr(Text::ledger_sum));
    draw_figure(list_, time_, text_y, state_.theme.text, format_.text(step_.times.total()));
    draw_figure(list_, share_, text_y, state_.theme.text_dim, share_text(step_.times.total(), length_ns_));
  }

 private:
  float x_of(std::int64_t ns) const {
    return bars_ + static_cast<float>(static_cast<double>(ns) / static_cast<double>(length_ns_)) *
                       (bars_end_ - bars_);
  }

  void draw_axis() {
    const TimeView view{.begin_ns = 0,
                        .ns_per_px = static_cast<double>(length_ns_) / static_cast<double>(bars_end_ - bars_),
                        .width_px = static_cast<double>(bars_end_ - bars_)};
    const RulerScale scale = ruler_scale(view, 5.5F * ImGui::GetFontSize());
    const float bottom = top_ + 1.4F * ImGui::GetFontSize() + row_ * static_cast<float>(state_.rows.size());
    for (std::int64_t at = 0; at <= length_ns_; at += scale.step_ns) {
      const float x = std::floor(x_of(at)) + 0.5F;
      list_.AddLine({x, top_ + 1.2F * ImGui::GetFontSize()}, {x, bottom}, state_.theme.grid);
      const std::string words = tick_text(scale, at);
      if (x + text_width(words) / 2 < time_ - 4 * ImGui::GetFontSize()) {
        list_.AddText({std::floor(x - (at == 0 ? 0 : text_width(words) / 2)), top_}, state_.theme.text_dim,
                      words.c_str());
      }
    }
  }

  void draw_row(StepRow row, float y, std::int64_t before_ns) {
    const Theme& theme = state_.theme;
    const Box all{state_.boxes.waterfall.left, y, state_.boxes.waterfall.right, y + row_};
    ImGui::PushID(static_cast<int>(row));
    place_button("row", all);
    if (ImGui::IsItemHovered()) {
      std::string words = device_text(title_of(row), state_.trace());
      words.append("\n").append(device_text(explanation_of(row), state_.trace()));
      words.append("\n").append(text_of(row));
      wrapped_tooltip(words);
    }
    if (ImGui::IsItemClicked()) {
      if (state_.row == row) {
        state_.step_interval(1);
      } else {
        state_.choose_row(row);
      }
    }
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) state_.open_selection();
    const bool selected = state_.row == row;
    if (selected) {
      list_.AddRectFilled(left_top(all), right_bottom(all), with_alpha(theme.accent, 48));
    } else if (ImGui::IsItemHovered()) {
      list_.AddRectFilled(left_top(all), right_bottom(all), with_alpha(theme.text, 14));
    }
    ImGui::PopID();
    const float text_y = std::floor(y + (row_ - ImGui::GetFontSize()) / 2);
    draw_elided(list_, {name_, text_y}, bars_ - name_ - state_.px(8), theme.text,
                device_text(title_of(row), state_.trace()));
    const std::int64_t ns = step_.times[row];
    const float inset = std::max(1.0F, std::floor(row_ * 0.16F));
    const float left = std::floor(x_of(before_ns));
    const Box bar{left, y + inset, std::max(left + 1, std::floor(x_of(before_ns + ns))), y + row_ - inset};
    fill_row(list_, bar, row, theme, state_.scale);
    draw_figure(list_, time_, text_y, theme.text, format_.text(ns));
    draw_figure(list_, share_, text_y, theme.text_dim, share_text(ns, length_ns_));
  }

  ImDrawList& list_;
  LedgerState& state_;
  const LedgerStep& step_;
  std::int64_t length_ns_;
  TimeFormat format_;
  float name_ = 0;
  float bars_ = 0;
  float bars_end_ = 1;
  float time_ = 0;   // right end of the column of times
  float share_ = 0;  // right end of the column of shares
  float top_ = 0;
  float row_ = 1;
};

std::string utilization_text(const Utilization& use, double value) {
  if (!use.known()) return "?";
  return (use.at_least() ? "\u2265 " : "") + text_from_share(value);
}

/// Draws the rows of one step as one stacked bar.
void draw_stack(ImDrawList& list, const LedgerState& state, const LedgerStep& step, const Box& bar) {
  const auto length_ns = static_cast<double>(std::max<std::int64_t>(1, step.range.length_ns()));
  std::int64_t before_ns = 0;
  for (std::size_t i = 0; i < kStepRowCount; ++i) {
    const auto row = static_cast<StepRow>(i);
    const std::int64_t ns = step.times[row];
    if (ns == 0) continue;
    const auto x_of = [&](std::int64_t at) {
      return std::floor(bar.left + static_cast<float>(static_cast<double>(at) / length_ns) * bar.width());
    };
    const Box part{x_of(before_ns), bar.top, x_of(before_ns + ns), bar.bottom};
    before_ns += ns;
    if (part.width() < 1) continue;
    fill_row(list, part, row, state.theme, state.scale);
    if (ImGui::IsWindowHovered() && part.contains(ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y)) {
      ImGui::SetTooltip("%s\n%s, %s", device_text(title_of(row), state.trace()).c_str(),
                        text_from_duration(ns).c_str(), share_text(ns, step.range.length_ns()).c_str());
    }
  }
}

struct Rung {
  Text title;
  std::int64_t ns;
  std::uint32_t color;
};

}  // namespace

void draw_ledger_waterfall(ImDrawList& list, LedgerState& state) {
  const Box& box = state.boxes.waterfall;
  draw_heading(list, state, box, Text::ledger_title, Text::ledger_note);
  list.AddLine({box.right - 0.5F, box.top + state.px(8)}, {box.right - 0.5F, box.bottom - state.px(8)},
               state.theme.border);
  list.PushClipRect(left_top(box), right_bottom(box), true);
  RowChart(list, state).draw();
  list.PopClipRect();
}

void draw_ledger_steps(LedgerState& state) {
  const Box& box = state.boxes.steps;
  const float em = ImGui::GetFontSize();
  const std::vector<LedgerStep>& steps = state.shown_gpu().steps;
  std::int64_t longest_ns = 1;
  for (const LedgerStep& step : steps) longest_ns = std::max(longest_ns, step.range.length_ns());
  const TimeFormat format(longest_ns);
  ImDrawList& outer = *ImGui::GetWindowDrawList();
  outer.AddLine({box.left, box.top + 0.5F}, {state.boxes.all.right, box.top + 0.5F}, state.theme.border);
  const float left = box.left + state.px(14);
  const float name_end = left + 7 * em;
  const float time_end = name_end + 6 * em;
  const float mfu_end = time_end + 5.5F * em;
  const float hfu_end = mfu_end + 5.5F * em;
  const float bars = hfu_end + em;
  const float bars_end = std::max(bars + 1, box.right - state.px(20));
  const float head_y = box.top + 0.6F * em;
  outer.AddText({left, head_y}, state.theme.text_dim, tr(Text::ledger_steps));
  draw_figure(outer, mfu_end, head_y, state.theme.text_dim, "MFU");
  draw_figure(outer, hfu_end, head_y, state.theme.text_dim, "HFU");
  draw_elided(outer, {bars, head_y}, bars_end - bars, state.theme.text_dim, tr(Text::ledger_where));
  const float top = head_y + 1.5F * em;
  ImGui::SetCursorScreenPos({box.left, top});
  ImGui::BeginChild("steps", {box.width(), std::max(1.0F, box.bottom - top)});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float row = std::floor(1.7F * em);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(steps.size()), row);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const LedgerStep& step = steps[index];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::PushID(i);
      if (ImGui::InvisibleButton("step", {box.width() - state.px(14), row})) state.choose_step(index);
      ImGui::PopID();
      ImGui::SetCursorScreenPos({at.x, at.y + row});
      if (index == state.step) {
        list.AddRectFilled(at, {at.x + box.width(), at.y + row}, with_alpha(state.theme.accent, 48));
      }
      const float y = std::floor(at.y + (row - em) / 2);
      draw_elided(list, {left, y}, name_end - left, state.theme.text, step_name(step));
      draw_figure(list, time_end, y, state.theme.text, format.text(step.range.length_ns()));
      draw_figure(list, mfu_end, y, state.theme.text_dim,
                  utilization_text(step.utilization, step.utilization.mfu()));
      draw_figure(list, hfu_end, y, state.theme.text_dim,
                  utilization_text(step.utilization, step.utilization.hfu()));
      const double share = static_cast<double>(step.range.length_ns()) / static_cast<double>(longest_ns);
      const float inset = std::floor(row * 0.15F);
      draw_stack(
          list, state, step,
          {bars, at.y + inset, bars + static_cast<float>(share) * (bars_end - bars), at.y + row - inset});
    }
  }
  ImGui::EndChild();
}

void draw_ledger_ceiling(ImDrawList& list, const LedgerState& state) {
  const Box& box = state.boxes.ceiling;
  const Theme& theme = state.theme;
  const float em = ImGui::GetFontSize();
  list.AddLine({box.left + 0.5F, box.top + state.px(8)}, {box.left + 0.5F, box.bottom - state.px(8)},
               theme.border);
  const StepCeiling ceiling = step_ceiling(state.shown_step().times);
  draw_heading(list, state, box, Text::ledger_ceiling, Text::ledger_ceiling_note);
  std::vector<Rung> rungs{
      {Text::ledger_as_measured, ceiling.measured_ns, mixed(theme.panel, theme.text_dim, 0.5)},
      {Text::ledger_no_idle, ceiling.no_idle_ns, row_color(StepRow::matrix_loss, theme)},
      {Text::ledger_no_exposed, ceiling.no_exposed_ns, row_color(StepRow::matrix_memory, theme)}};
  if (ceiling.no_recompute_ns != ceiling.no_exposed_ns) {
    rungs.push_back(
        {Text::ledger_no_recompute, ceiling.no_recompute_ns, row_color(StepRow::recompute, theme)});
  }
  rungs.push_back({Text::ledger_at_roof, ceiling.at_roof_ns, row_color(StepRow::optimizer, theme)});
  const TimeFormat format(ceiling.measured_ns);
  float y = box.top + 2.2F * em;
  const float row = std::floor(1.6F * em);
  const float left = box.left + state.px(14);
  const float right = box.right - state.px(14);
  const float titles = std::max(left, right - 13 * em);
  const float bars_end = std::max(left + 1, titles - 7 * em);
  for (const Rung& rung : rungs) {
    const double share =
        static_cast<double>(rung.ns) / static_cast<double>(std::max<std::int64_t>(1, ceiling.measured_ns));
    const float end = left + std::max(1.0F, static_cast<float>(share) * (bars_end - left));
    list.AddRectFilled({left, y + state.px(2)}, {end, y + row - state.px(2)}, rung.color);
    const float text_y = std::floor(y + (row - em) / 2);
    list.AddText({end + state.px(6), text_y}, theme.text, format.text(rung.ns).c_str());
    draw_elided(list, {titles, text_y}, right - titles, theme.text_dim, tr(rung.title));
    y += row;
  }
  ImGui::SetCursorScreenPos({left, y + state.px(4)});
  if (box.bottom - y < 2 * em) return;
  ImGui::BeginChild("formula", {right - left, box.bottom - y - state.px(6)});
  if (ceiling.unknown_ns > 0)
    wrapped_text(theme.text_dim, filled(Text::ledger_ceiling_unknown, {format.text(ceiling.unknown_ns)}));
  const Utilization& use = state.shown_step().utilization;
  if (!use.types.empty()) {
    wrapped_text(theme.text_dim, use.known()
                                     ? filled(use.at_least() ? Text::ledger_mfu_at_least : Text::ledger_mfu,
                                              {use.formula(), text_from_share(use.mfu())})
                                     : std::string(tr(Text::ledger_peak_unknown)));
  }
  if (use.matrix_ns > 0 && use.at_least()) {
    wrapped_text(theme.warning,
                 filled(Text::ledger_uncounted, {share_text(use.uncounted_ns, use.matrix_ns)}));
  }
  ImGui::EndChild();
}

}  // namespace kino
