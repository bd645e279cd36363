#include "app/pages/snapshot/snapshot_bar.hpp"

#include <array>
#include <cmath>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/pages/memory_plot/band_labels.hpp"
#include "app/pages/memory_plot/step_ticks.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"

namespace kino {
namespace {

const char* axis_label(const SnapshotState& state) {
  const SnapshotAxisKind kind = state.axis().kind();
  if (kind == SnapshotAxisKind::events) return tr(Text::snapshot_axis_by_event);
  if (kind == SnapshotAxisKind::time) return tr(Text::snapshot_axis_by_time);
  return tr(state.steps()->region.empty() ? Text::snapshot_axis_by_part : Text::snapshot_axis_by_step);
}

bool button_at(float x, float y, const char* id, const char* label, const std::string& hint) {
  ImGui::SetCursorScreenPos({x, y});
  ImGui::PushID(id);
  const bool pressed = flat_button(label, hint.c_str());
  ImGui::PopID();
  return pressed;
}

// Draws the button of the axis. Draws nothing if the device has only one axis.
void draw_axis(SnapshotState& state, float& right, float y) {
  if (state.next_axis() == state.axis().kind()) return;
  const char* label = axis_label(state);
  right -= flat_button_width(label) + state.px(8);
  std::string hint = hint_with_key(Text::command_time_axis, CommandId::time_axis);
  if (state.steps() != nullptr) hint += "\n" + steps_text(*state.steps());
  if (!SnapshotAxis::can_show(state.device(), SnapshotAxisKind::time, nullptr))
    hint += std::string("\n") + tr(Text::snapshot_time_none);
  if (button_at(right, y, "axis", label, hint)) state.show_axis(state.next_axis());
}

// Draws a button left of the previous ones, unless the bar is too narrow. Returns whether it was pressed.
bool draw_choice(const SnapshotState& state, float& right, float y, const char* id, const char* label,
                 const std::string& hint) {
  const float left = right - flat_button_width(label) - state.px(8);
  if (left < state.boxes.bar.left + state.px(320)) return false;
  right = left;
  return button_at(right, y, id, label, hint);
}

// Draws a menu of devices if there are several. Returns whether there are several.
bool draw_devices(SnapshotState& state, float x, float y) {
  const Snapshot& snapshot = *state.snapshot;
  if (snapshot.devices.size() <= 1) return false;
  ImGui::SetCursorScreenPos({x, y});
  ImGui::SetNextItemWidth(state.px(170));
  if (ImGui::BeginCombo("##device", device_name(snapshot, state.device_index()).c_str())) {
    for (std::size_t i = 0; i < snapshot.devices.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable(device_name(snapshot, i).c_str(), i == state.device_index()))
        state.show_device(i);
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", hint_with_key(Text::command_next_device, CommandId::next_device).c_str());
  return true;
}

}  // namespace

std::optional<SnapshotFinder::Actions> draw_snapshot_bar(ImDrawList& list, const SnapshotBarParts& parts) {
  SnapshotState& state = parts.state;
  const Box& bar = state.boxes.bar;
  list.AddRectFilled({bar.left, bar.top}, {bar.right, bar.bottom}, parts.theme.group_header);
  list.AddLine({bar.left, bar.bottom - 0.5F}, {bar.right, bar.bottom - 0.5F}, parts.theme.border);
  float x = bar.left + state.px(8);
  const float y = std::floor(bar.top + (bar.height() - ImGui::GetFrameHeight()) / 2);
  if (draw_devices(state, x, y)) x += state.px(182);
  float right = bar.right;
  draw_axis(state, right, y);
  constexpr std::array kColorings = {Text::snapshot_color_stack, Text::snapshot_color_category,
                                     Text::snapshot_color_stream, Text::snapshot_color_pool,
                                     Text::snapshot_color_size};
  if (draw_choice(state, right, y, "coloring",
                  tr(kColorings[static_cast<std::size_t>(parts.colors.coloring())]),
                  hint_with_key(Text::command_next_color_mode, CommandId::next_color_mode)))
    parts.colors.next_coloring();
  if (!state.only_segments() && draw_choice(state, right, y, "layout", tr(text_for(state.layout)),
                                            hint_with_key(Text::command_next_layout, CommandId::next_layout)))
    state.show_layout(state.next_layout());
  if (parts.finder.is_open()) return parts.finder.draw(bar, x, right - state.px(8), state, parts.theme);
  const std::string words =
      parts.picture.tells() ? parts.picture.message() : snapshot_figures(state, parts.treemap);
  const float text_y = std::floor(bar.top + (bar.height() - ImGui::GetFontSize()) / 2);
  draw_elided(list, {x + state.px(4), text_y}, right - state.px(12) - x, parts.theme.text, words);
  return std::nullopt;
}

std::string snapshot_figures(const SnapshotState& state, const TreemapView& treemap) {
  const auto bytes = [](std::uint64_t number) { return text_from_bytes(number); };
  const std::string name = device_name(*state.snapshot, state.device_index());
  const std::size_t count = state.history().allocations.count();
  const std::string peak = bytes(state.peak().bytes);
  if (state.filtered()) {
    return filled(Text::snapshot_figures_of_hits,
                  {name, grouped(state.bands->among_count), grouped(count), peak});
  }
  const TreemapResult* map = state.only_segments() ? treemap.answer(state) : nullptr;
  if (map != nullptr) {
    const Fragmentation& memory = map->memory;
    return filled(Text::treemap_figures,
                  {name, grouped(map->layout.segments.size()), bytes(memory.reserved),
                   bytes(memory.allocated), bytes(memory.pending), bytes(memory.free)});
  }
  const std::uint64_t reserved = state.history().curve(MemoryCurve::reserved).peak.bytes;
  const std::string allocations = counted(Text::snapshot_one_allocation, Text::snapshot_allocations, count);
  if (!has_history(state.device()))
    return filled(Text::snapshot_figures_of_moment, {name, allocations, peak, bytes(reserved)});
  return filled(
      // Memory timelines and recordings of MLX contain no segments.
      reserved == 0 ? Text::snapshot_figures_unreserved : Text::snapshot_figures,
      {name, counted(Text::snapshot_one_event, Text::snapshot_events, state.device().entries.entry_count()),
       allocations, peak, bytes(reserved)});
}

}  // namespace kino
