#include "app/pages/serving/iteration_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "app/pages/serving/serving_verdict.hpp"
#include "app/pages/timeline/overlays/ruler_iterations.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/serving/serving_texts.hpp"

namespace kino {
namespace {

constexpr std::size_t kPhases = 7;

/// Returns the least of 1, 2, 5, 10, 20, ... that is not below `least`.
std::int64_t round_step(double least) {
  std::int64_t power = 1;
  while (true) {
    for (const std::int64_t digit : {1, 2, 5}) {
      if (static_cast<double>(power * digit) >= least) return power * digit;
    }
    if (power > std::numeric_limits<std::int64_t>::max() / 100) return power;
    power *= 10;
  }
}

class IterationPlot {
 public:
  IterationPlot(ImDrawList& list, ServingState& state)
      : list_(list), state_(state), content_(*state.content), bars_(state.boxes.bars) {
    const Box& box = state.boxes.plot;
    const float em = ImGui::GetFontSize();
    bars_ = {box.left + state.px(14) + std::floor(5 * em), box.top + std::floor(2.4F * em),
             box.right - state.px(20), box.bottom - std::floor(1.8F * em)};
    bars_.right = std::max(bars_.right, bars_.left + 1);
    bars_.bottom = std::max(bars_.bottom, bars_.top + 1);
    pitch_ = bars_.width() / static_cast<float>(std::max<std::size_t>(1, content_.bars.size()));
  }

  void draw() {
    const std::size_t per_bar = content_.bars.front().end - content_.bars.front().first;
    const std::string note = per_bar > 1 ? filled(Text::serving_plot_longest, {grouped(per_bar)})
                                         : std::string(tr(Text::serving_plot_note));
    const float end =
        draw_serving_title(list_, state_, state_.boxes.plot, in_language(msg::iterations_title), note);
    draw_legend(end);
    draw_times();
    for (std::size_t i = 0; i < content_.bars.size(); ++i) draw_bar(i);
    draw_numbers();
    handle_mouse();
  }

 private:
  float x_of(std::size_t bar) const { return std::floor(bars_.left + pitch_ * static_cast<float>(bar)); }

  float y_of(std::int64_t window_ns) const {
    const double share = static_cast<double>(window_ns) / (1.08 * static_cast<double>(content_.plot_top_ns));
    return std::floor(bars_.bottom - static_cast<float>(std::min(1.0, share)) * bars_.height());
  }

  const Iteration& longest_of(std::size_t bar) const {
    return content_.iterations.list[content_.bars[bar].longest];
  }

  bool is_stalled(std::size_t bar) const {
    const PlotBar& shown = content_.bars[bar];
    const auto stall = std::ranges::lower_bound(content_.stalls, shown.first, {}, &Stall::iteration);
    return stall != content_.stalls.end() && stall->iteration < shown.end;
  }

  void draw_times() const {
    const float em = ImGui::GetFontSize();
    const double lines = std::max(1.0, std::floor(static_cast<double>(bars_.height() / (2.2F * em))));
    const std::int64_t step_ns = round_step(static_cast<double>(content_.plot_top_ns) / lines);
    for (std::int64_t at = 0;; at += step_ns) {
      const float y = y_of(at) + 0.5F;
      list_.AddLine({bars_.left, y}, {bars_.right, y}, state_.theme.grid);
      const std::string words = text_from_duration(at);
      list_.AddText({std::floor(bars_.left - state_.px(6) - text_width(words)), std::floor(y - em / 2)},
                    state_.theme.text_dim, words.c_str());
      if (at > content_.plot_top_ns - step_ns) break;
    }
  }

  void draw_bar(std::size_t bar) {
    const Iteration& iteration = longest_of(bar);
    const float left = x_of(bar);
    const float gap = pitch_ >= 4 ? 1.0F : 0.0F;
    const float right = std::max(left + 1, x_of(bar + 1) - gap);
    const float top = std::min(y_of(iteration.window_ns()), bars_.bottom - 1);
    const std::uint32_t color = phase_color(iteration.phase, state_.theme);
    if (iteration.left_out == LeftOut::none) {
      list_.AddRectFilled({left, top}, {right, bars_.bottom}, color);
    } else if (right - left < state_.px(4)) {
      list_.AddRectFilled({left, top}, {right, bars_.bottom}, mixed(state_.theme.panel, color, 0.4));
    } else {
      add_hatching(list_, {left, top}, {right, bars_.bottom}, color, state_.scale);
      list_.AddRect({left, top}, {right, bars_.bottom}, color);
    }
    if (iteration.window_ns() > content_.plot_top_ns + content_.plot_top_ns / 12) {
      list_.AddRectFilled({left, bars_.top - state_.px(3)}, {right, bars_.top - state_.px(1)},
                          state_.theme.warning);
    }
    if (is_stalled(bar)) {
      list_.AddRectFilled({left, bars_.bottom + state_.px(2)}, {right, bars_.bottom + state_.px(5)},
                          state_.theme.idle);
    }
    const PlotBar& shown = content_.bars[bar];
    if (state_.iteration && *state_.iteration >= shown.first && *state_.iteration < shown.end) {
      list_.AddRect({left - 1, bars_.top - 1}, {right + 1, bars_.bottom + 1}, state_.theme.selection, 0, 0,
                    state_.px(2));
    }
  }

  /// Writes the numbers of iterations below their bars.
  void draw_numbers() const {
    const float em = ImGui::GetFontSize();
    const auto step = static_cast<std::size_t>(round_step(static_cast<double>(5 * em / pitch_)));
    const float y = std::floor(bars_.bottom + 0.5F * em);
    for (std::size_t bar = 0; bar < content_.bars.size(); bar += step) {
      const std::string words = grouped(content_.bars[bar].first);
      if (x_of(bar) + text_width(words) > state_.boxes.plot.right) break;
      list_.AddText({x_of(bar), y}, state_.theme.text_dim, words.c_str());
    }
  }

  /// Draws the phases of the groups, and the signs for iterations that are left out or stall, from the right.
  void draw_legend(float left) const {
    const float em = ImGui::GetFontSize();
    const float side = std::floor(0.7F * em);
    float x = state_.boxes.plot.right - state_.px(20);
    const float y = std::floor(state_.boxes.plot.top + 0.5F * em);
    const auto add = [&](const std::string& words, std::uint32_t color, bool hatched) {
      const float width = side + state_.px(6) + text_width(words) + em;
      if (x - width < left + em) return;
      x -= width;
      const ImVec2 from{x, y + std::floor((em - side) / 2)};
      const ImVec2 to{from.x + side, from.y + side};
      if (hatched) {
        add_hatching(list_, from, to, color, state_.scale);
        list_.AddRect(from, to, color);
      } else {
        list_.AddRectFilled(from, to, color);
      }
      list_.AddText({to.x + state_.px(6), y}, state_.theme.text_dim, words.c_str());
    };
    if (content_.used() < content_.iterations.list.size())
      add(in_language(msg::iteration_left_out), phase_color(IterationPhase::decode, state_.theme), true);
    if (!content_.stalls.empty()) add(in_language(msg::stall_time), state_.theme.idle, false);
    std::array<bool, kPhases> present{};
    for (const IterationGroup& group : content_.groups) present[static_cast<std::size_t>(group.phase)] = true;
    for (std::size_t i = kPhases; i-- > 1;) {
      const auto phase = static_cast<IterationPhase>(i);
      if (present[i]) add(in_language(title_of(phase)), phase_color(phase, state_.theme), false);
    }
  }

  void handle_mouse() {
    place_button("iterations", bars_);
    if (!ImGui::IsItemHovered()) return;
    const float offset = (ImGui::GetIO().MousePos.x - bars_.left) / pitch_;
    const auto last = static_cast<float>(content_.bars.size() - 1);
    const auto bar = static_cast<std::size_t>(std::clamp(std::floor(offset), 0.0F, last));
    const std::size_t iteration = content_.bars[bar].longest;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    list_.AddRect({x_of(bar) - 1, bars_.top - 1}, {x_of(bar + 1) + 1, bars_.bottom + 1},
                  state_.theme.text_dim);
    wrapped_tooltip(iteration_text(content_, iteration));
    if (ImGui::IsItemClicked()) state_.open(iteration);
  }

  ImDrawList& list_;
  ServingState& state_;
  const ServingContent& content_;
  Box& bars_;
  float pitch_ = 1;
};

}  // namespace

void draw_iteration_plot(ImDrawList& list, ServingState& state) {
  list.PushClipRect(left_top(state.boxes.plot), right_bottom(state.boxes.plot), true);
  IterationPlot(list, state).draw();
  list.PopClipRect();
}

}  // namespace kino
