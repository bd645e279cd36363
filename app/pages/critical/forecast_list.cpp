#include "app/pages/critical/forecast_list.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/critical/forecast_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/saturating.hpp"

namespace kino {
namespace {

/// Changes of a forecast in ns. Negative: shorter.
struct ForecastRange {
  std::int64_t change_ns = 0;
  std::int64_t lowest_ns = 0;
  std::int64_t highest_ns = 0;
};

ForecastRange range_of(const Forecast& row, std::int64_t window_ns) {
  const std::int64_t margin_ns = row.margin_ns(window_ns);
  return {saturating_subtract(row.length_ns, window_ns),
          saturating_subtract(saturating_subtract(row.lowest_ns, margin_ns), window_ns),
          saturating_subtract(saturating_add(row.highest_ns, margin_ns), window_ns)};
}

class ForecastList {
 public:
  explicit ForecastList(CriticalState& state)
      : state_(state), forecasts_(*state.usual), window_ns_(state.content->window_ns()) {
    const Box& box = state.boxes.forecasts;
    const float em = ImGui::GetFontSize();
    left_ = box.left + state.px(14);
    right_ = box.right - state.px(14);
    share_ = right_;
    time_ = share_ - 4.2F * em;
    bars_end_ = time_ - 5.6F * em;
    title_ = left_ + 1.6F * em;
    bars_ = std::max(title_ + 8 * em, bars_end_ - std::max(4 * em, (bars_end_ - title_) * 0.28F));
    bars_end_ = std::max(bars_ + 1, bars_end_);
    for (const Forecast& row : forecasts_) {
      const ForecastRange range = range_of(row, window_ns_);
      least_ns_ = std::min(least_ns_, range.lowest_ns);
      most_ns_ = std::max(most_ns_, range.highest_ns);
    }
  }

  void draw() {
    const float row = std::floor(1.9F * ImGui::GetFontSize());
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(forecasts_.size()), row);
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
        draw_row(static_cast<std::size_t>(i), row);
    }
  }

 private:
  float x_of(std::int64_t change_ns) const {
    const double whole = std::max(1.0, static_cast<double>(most_ns_) - static_cast<double>(least_ns_));
    const double share = (static_cast<double>(change_ns) - static_cast<double>(least_ns_)) / whole;
    return std::floor(bars_ + static_cast<float>(share) * (bars_end_ - bars_));
  }

  void draw_row(std::size_t index, float height) {
    const Forecast& forecast = forecasts_[index];
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Theme& theme = state_.theme;
    const float em = ImGui::GetFontSize();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(index));
    const bool pressed = ImGui::InvisibleButton("forecast", {state_.boxes.forecasts.width(), height});
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    ImGui::SetCursorScreenPos({at.x, at.y + height});
    const Box row{state_.boxes.forecasts.left, at.y, state_.boxes.forecasts.right, at.y + height};
    if (state_.forecast == index) {
      list.AddRectFilled(left_top(row), right_bottom(row), with_alpha(theme.accent, 48));
    } else if (hovered) {
      list.AddRectFilled(left_top(row), right_bottom(row), with_alpha(theme.text, 14));
    }
    if (pressed) {
      state_.forecast = index;
      state_.toggle(forecast.setting);
    }
    const bool nothing = forecast.may_be_nothing(window_ns_);
    const std::uint32_t color = nothing ? theme.text_dim : theme.text;
    const float y = std::floor(at.y + (height - em) / 2);
    draw_tick(list, forecast, y);
    draw_title(list, forecast, y, color);
    draw_bar(list, forecast, at.y, height, nothing);
    const ForecastRange range = range_of(forecast, window_ns_);
    const std::int64_t error_ns = bar_error_ns(forecast, window_ns_);
    const std::uint32_t figure = nothing ? theme.text_dim : theme.accent;
    draw_number(list, time_, y, color, change_text(range.change_ns, error_ns, window_ns_));
    draw_number(list, share_, y, figure, change_share_text(range.change_ns, error_ns, window_ns_));
    if (hovered) show_hint(forecast, range, error_ns);
  }

  /// Draws the title, and "bound" after it, for which there is always room.
  void draw_title(ImDrawList& list, const Forecast& forecast, float y, std::uint32_t color) const {
    const float em = ImGui::GetFontSize();
    const char* const bound = tr(Text::critical_bound);
    const float after = forecast.bound ? text_width(bound) + em : 0;
    const float room = bars_ - title_ - em - after;
    const float used = draw_elided(list, {title_, y}, room, color, changed_setting_title(forecast.setting));
    if (forecast.bound) list.AddText({std::floor(title_ + used + em), y}, state_.theme.text_dim, bound);
  }

  static void draw_number(ImDrawList& list, float right, float y, std::uint32_t color,
                          const std::string& text) {
    list.AddText({std::floor(right - text_width(text)), y}, color, text.c_str());
  }

  /// Draws the box that is ticked if the setting is made.
  void draw_tick(ImDrawList& list, const Forecast& forecast, float y) const {
    const float side = std::floor(0.9F * ImGui::GetFontSize());
    const ImVec2 from{left_, y + std::floor((ImGui::GetFontSize() - side) / 2)};
    const ImVec2 to{from.x + side, from.y + side};
    if (!chosen_from(forecast.setting)) return;
    if (state_.is_chosen(forecast.setting)) {
      list.AddRectFilled(from, to, state_.theme.accent, state_.px(2));
    } else {
      list.AddRect(from, to, state_.theme.text_dim, state_.px(2));
    }
  }

  /// Draws the change as a bar from zero, and its range as a line with a tick at both ends.
  void draw_bar(ImDrawList& list, const Forecast& forecast, float top, float height, bool nothing) const {
    const Theme& theme = state_.theme;
    const ForecastRange range = range_of(forecast, window_ns_);
    const float zero = x_of(0);
    const float end = x_of(range.change_ns);
    const float inset = std::floor(height * 0.3F);
    std::uint32_t color = nothing ? mixed(theme.panel, theme.text_dim, 0.4) : theme.accent;
    if (forecast.bound) color = mixed(theme.panel, color, 0.5);
    list.AddRectFilled({std::min(zero, end), top + inset},
                       {std::max({zero, end, std::min(zero, end) + 1}), top + height - inset}, color);
    list.AddLine({zero + 0.5F, top + 2}, {zero + 0.5F, top + height - 2}, theme.border);
    const float middle = std::floor(top + height / 2) + 0.5F;
    const float from = x_of(range.lowest_ns) + 0.5F;
    const float to = std::max(from, x_of(range.highest_ns) + 0.5F);
    const std::uint32_t line = nothing ? theme.text_dim : theme.text;
    const float half = std::floor(height * 0.16F);
    list.AddLine({from, middle}, {to, middle}, line);
    for (const float x : {from, to}) list.AddLine({x, middle - half}, {x, middle + half}, line);
  }

  void show_hint(const Forecast& forecast, const ForecastRange& range, std::int64_t error_ns) const {
    std::string words = filled(
        Text::critical_forecast_hint,
        {changed_setting_title(forecast.setting), change_share_text(range.lowest_ns, error_ns, window_ns_),
         change_share_text(range.highest_ns, error_ns, window_ns_),
         forecast_length_text(forecast.length_ns, error_ns, window_ns_)});
    if (forecast.bound) words.append("\n").append(tr(Text::critical_bars));
    if (chosen_from(forecast.setting)) words.append("\n").append(tr(Text::critical_combine_hint));
    wrapped_tooltip(words);
  }

  CriticalState& state_;
  const std::vector<Forecast>& forecasts_;
  std::int64_t window_ns_;
  std::int64_t least_ns_ = 0;
  std::int64_t most_ns_ = 0;
  float left_ = 0;
  float right_ = 0;
  float title_ = 0;
  float bars_ = 0;
  float bars_end_ = 1;
  float time_ = 0;   // right end of the column of times
  float share_ = 0;  // right end of the column of shares
};

}  // namespace

void draw_forecast_list(CriticalState& state) {
  const Box& box = state.boxes.forecasts;
  const float em = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_critical_title(list, state, box, tr(Text::critical_forecasts), tr(Text::critical_forecasts_note));
  list.AddLine({box.right - 0.5F, box.top}, {box.right - 0.5F, state.boxes.all.bottom}, state.theme.border);
  const float top = box.top + 2 * em;
  const float note = std::floor(3.4F * em);
  ImGui::SetCursorScreenPos({box.left, top});
  ImGui::BeginChild("forecasts", {box.width() - 1, std::max(1.0F, box.bottom - top - note)});
  if (!state.can_forecast() || state.usual == nullptr) {
    ImGui::Indent(state.px(14));
    const Text words = !state.can_forecast() ? Text::critical_no_forecast
                       : state.failed        ? Text::not_enough_memory
                                             : Text::critical_forecasting;
    wrapped_text(state.theme.text_dim, tr(words));
    ImGui::Unindent(state.px(14));
  } else {
    ForecastList(state).draw();
  }
  ImGui::EndChild();
  if (state.can_forecast()) {
    const float left = box.left + state.px(14);
    draw_wrapped(list, {left, box.bottom - note + state.px(4)}, box.width() - state.px(28),
                 state.theme.text_dim, tr(Text::critical_bars));
  }
}

}  // namespace kino
