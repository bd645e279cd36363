#include "app/track_bar.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/commands.hpp"
#include "app/keys.hpp"
#include "app/text_drawing.hpp"
#include "app/track_commands.hpp"
#include "app/widgets.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

struct PresetButton {
  const char* label;
  const char* hint;
  TrackPreset preset;
};
constexpr std::array kPresets = {
    PresetButton{"All", "Every track", TrackPreset::all},
    PresetButton{"GPU only", "The tracks of GPUs", TrackPreset::gpu_only},
    PresetButton{"Communication", "The streams that carry collectives", TrackPreset::communication},
    PresetButton{"Main thread",
                 "The thread that launches most of the GPU's work, and the streams it launches on",
                 TrackPreset::main_thread}};

std::string shown_text(const TimelineState& state) {
  const std::uint32_t hidden = state.arrangement.hidden_count();
  if (state.arrangement.filter.empty() && hidden == 0) return {};
  const std::string shown = grouped(state.layout.shown_tracks()) + " tracks shown";
  return hidden == 0 ? shown : shown + " · " + grouped(hidden) + " hidden";
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
  ImGui::PushID("track bar");
  // What is filtered may have changed without the field: "show all tracks", a file that remembers it.
  if (state.arrangement.filter != text_.data()) {
    const std::size_t length = std::min(state.arrangement.filter.size(), text_.size() - 1);
    std::copy_n(state.arrangement.filter.begin(), length, text_.begin());
    text_[length] = 0;
  }
  ImGui::SetNextItemWidth(std::clamp(box.width() * 0.22F, state.px(140), state.px(320)));
  if (std::exchange(take_focus_, false)) ImGui::SetKeyboardFocusHere();
  if (ImGui::InputTextWithHint("##filter", "Filter tracks", text_.data(), text_.size(),
                               ImGuiInputTextFlags_AutoSelectAll)) {
    state.arrangement.filter = text_.data();
    state.layout_stale = true;
  }
  const bool focused = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) {
    ImGui::SetTooltip("%s", "Words that must all occur in a track's name, contents or group");
  }
  bool closed = focused && key_pressed(NamedKey::escape);
  const float close_width = flat_button_width("Close") + gap;
  for (const PresetButton& button : kPresets) {
    ImGui::SameLine(0, gap);
    if (ImGui::GetCursorScreenPos().x + flat_button_width(button.label) > box.right - close_width) break;
    const bool chosen = state.arrangement.preset == button.preset &&
                        (button.preset != TrackPreset::all || state.arrangement.hidden_count() == 0);
    ImGui::PushStyleColor(ImGuiCol_Text, chosen ? theme.accent : theme.text);
    if (flat_button(button.label, button.hint)) show_preset(state, button.preset);
    ImGui::PopStyleColor();
  }
  ImGui::SameLine(0, 2 * gap);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_elided(list, {at.x, at.y + ImGui::GetStyle().FramePadding.y}, box.right - close_width - gap - at.x,
              theme.text_dim, shown_text(state));
  ImGui::SetCursorScreenPos({box.right - close_width, top});
  closed = flat_button("Close", "Show all tracks (Esc)") || closed;
  ImGui::PopID();
  if (closed) close(state);
}

}  // namespace kino
