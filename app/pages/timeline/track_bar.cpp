#include "app/pages/timeline/track_bar.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/pages/timeline/track_commands.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/widgets/field_focus.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

struct PresetButton {
  Text label;
  Text hint;
  TrackPreset preset;
};
constexpr std::array kPresets = {
    PresetButton{Text::track_bar_all, Text::track_bar_all_hint, TrackPreset::all},
    PresetButton{Text::track_bar_gpu, Text::track_bar_gpu_hint, TrackPreset::gpu_only},
    PresetButton{Text::track_bar_communication, Text::track_bar_communication_hint,
                 TrackPreset::communication},
    PresetButton{Text::track_bar_main_thread, Text::track_bar_main_thread_hint, TrackPreset::main_thread}};

std::string shown_text(const TimelineState& state) {
  const std::uint32_t hidden = state.arrangement.hidden_count();
  if (state.arrangement.filter.empty() && hidden == 0) return {};
  const std::string shown = grouped(state.layout.shown_tracks());
  return hidden == 0 ? filled(Text::track_bar_shown, {shown})
                     : filled(Text::track_bar_shown_hidden, {shown, grouped(hidden)});
}

}  // namespace

void TrackBar::close(TimelineState& state) {
  state.track_bar_open = false;
  state.arrangement.show_all();
  state.layout_stale = true;
}

void TrackBar::handle_keys(TimelineState& state, bool keyboard) {
  if (!keyboard || !command_pressed(CommandId::filter_tracks)) return;
  state.track_bar_open = true;
  take_focus_ = true;
}

void TrackBar::draw(TimelineState& state, const Theme& theme) {
  const Box& box = state.boxes.track_bar;
  if (box.height() < 1) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme.group_header);
  list.AddLine({box.left, box.bottom - 0.5F}, {box.right, box.bottom - 0.5F}, theme.border);
  const float gap = state.px(6);
  const float top = std::floor(box.top + (box.height() - ImGui::GetFrameHeight()) / 2);
  ImGui::SetCursorScreenPos({box.left + state.px(8), top});
  ImGui::PushID("track_bar");
  // The filter may also have been changed by "show all tracks" or by a saved arrangement.
  if (state.arrangement.filter != text_.data()) {
    const std::size_t length = std::min(state.arrangement.filter.size(), text_.size() - 1);
    std::copy_n(state.arrangement.filter.begin(), length, text_.begin());
    text_[length] = 0;
  }
  ImGui::SetNextItemWidth(std::clamp(box.width() * 0.22F, state.px(140), state.px(320)));
  if (std::exchange(take_focus_, false)) focus_next_field();
  if (ImGui::InputTextWithHint("##filter", tr(Text::track_bar_filter), text_.data(), text_.size(),
                               ImGuiInputTextFlags_AutoSelectAll)) {
    state.arrangement.filter = text_.data();
    state.layout_stale = true;
  }
  const bool focused = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
    ImGui::SetTooltip("%s", tr(Text::track_bar_filter_hint));
  bool closed = focused && key_pressed(NamedKey::escape);
  const std::string close_label = with_id(Text::close, "close");
  const float close_width = flat_button_width(close_label.c_str()) + gap;
  for (const PresetButton& button : kPresets) {
    ImGui::SameLine(0, gap);
    const std::string label =
        device_text(button.label, *state.trace).append("###").append(name_of(button.label));
    if (ImGui::GetCursorScreenPos().x + flat_button_width(label.c_str()) > box.right - close_width) break;
    const bool chosen = state.arrangement.preset == button.preset &&
                        (button.preset != TrackPreset::all || state.arrangement.hidden_count() == 0);
    ImGui::PushStyleColor(ImGuiCol_Text, chosen ? theme.accent : theme.text);
    if (flat_button(label.c_str(), device_text(button.hint, *state.trace).c_str()))
      show_preset(state, button.preset);
    ImGui::PopStyleColor();
  }
  ImGui::SameLine(0, 2 * gap);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_elided(list, {at.x, at.y + ImGui::GetStyle().FramePadding.y}, box.right - close_width - gap - at.x,
              theme.text_dim, shown_text(state));
  ImGui::SetCursorScreenPos({box.right - close_width, top});
  closed = flat_button(close_label.c_str(), tr(Text::track_bar_close_hint)) || closed;
  ImGui::PopID();
  if (closed) close(state);
}

}  // namespace kino
