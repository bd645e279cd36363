#include "app/pages/critical/setting_sliders.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include <imgui.h>

#include "app/pages/critical/forecast_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/saturating.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {
namespace {

/// Returns the forecast of all settings, or the reason why there is none.
std::string together_text(const CriticalState& state) {
  if (state.chosen.empty()) return {};
  if (state.retimed == nullptr || state.retimed->settings != state.settings())
    return tr(Text::critical_retiming);
  if (!state.retimed->problem.empty()) return {};
  const Forecast& forecast = state.retimed->forecast;
  const std::int64_t window_ns = state.content->window_ns();
  const std::int64_t error_ns = bar_error_ns(forecast, window_ns);
  const std::int64_t change_ns = saturating_subtract(forecast.length_ns, window_ns);
  std::string text =
      filled(Text::critical_together, {forecast_length_text(forecast.length_ns, error_ns, window_ns),
                                       change_share_text(change_ns, error_ns, window_ns)});
  if (forecast.bound) text.append(" (").append(tr(Text::critical_bound)).append(")");
  return text;
}

void draw_slider(CriticalState& state, const std::string& name, float label_width) {
  constexpr float kStep = 0.05F;
  const float em = ImGui::GetFontSize();
  const auto before = static_cast<float>(state.factor(name));
  float value = before;
  ImGui::AlignTextToFramePadding();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_elided(*ImGui::GetWindowDrawList(), {at.x, at.y + ImGui::GetStyle().FramePadding.y}, label_width - em,
              before == 1 ? state.theme.text_dim : state.theme.text, setting_title(name));
  ImGui::Dummy({label_width, ImGui::GetFrameHeight()});
  ImGui::SameLine(0, 0);
  ImGui::SetNextItemWidth(std::max(6 * em, ImGui::GetContentRegionAvail().x - state.px(14)));
  ImGui::PushID(name.c_str());
  if (ImGui::SliderFloat("##factor", &value, 0, 1, "x %.2f", ImGuiSliderFlags_AlwaysClamp))
    state.set_factor(name, static_cast<double>(std::round(value / kStep) * kStep));
  ImGui::PopID();
}

}  // namespace

void draw_setting_sliders(CriticalState& state) {
  const Box& box = state.boxes.settings;
  const float em = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({box.left, box.top + 0.5F}, {box.right, box.top + 0.5F}, state.theme.border);
  const float left = box.left + state.px(14);
  const float right = box.right - state.px(14);
  const float y = std::floor(box.top + 0.5F * em);
  const float used =
      draw_elided(list, {left, y}, right - left, state.theme.text, tr(Text::critical_settings));
  const std::string together = together_text(state);
  const float width = std::min(text_width(together), right - left - used - em);
  if (width > 0) draw_elided(list, {right - width, y}, width + 1, state.theme.accent, together);
  const float top = box.top + 2.1F * em;
  ImGui::SetCursorScreenPos({left, top});
  ImGui::BeginChild("settings", {right - left, std::max(1.0F, box.bottom - top - state.px(6))});
  if (state.retimed != nullptr && !state.chosen.empty() && !state.retimed->problem.empty())
    wrapped_text(state.theme.warning, escaped(in_language(state.retimed->problem)));
  const float label_width = std::min(15 * em, (right - left) * 0.5F);
  for (const std::string& name : state.content->sliders) draw_slider(state, name, label_width);
  if (!state.chosen.empty() &&
      flat_button(with_id(Text::critical_reset, "reset").c_str(), tr(Text::command_reset_settings)))
    state.reset();
  wrapped_text(state.theme.text_dim, tr(Text::critical_assumes));
  ImGui::EndChild();
}

}  // namespace kino
