#include "app/hits_table.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/ruler.hpp"
#include "app/text_drawing.hpp"
#include "app/widgets.hpp"
#include "core/name_text.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

void right_aligned(const std::string& text, std::uint32_t color) {
  const float free = ImGui::GetContentRegionAvail().x - text_width(text);
  if (free > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + free);
  colored_text(color, text);
}

/// Cut where the column ends.
void elided(std::string_view text, std::uint32_t color) {
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_elided(*ImGui::GetWindowDrawList(), at, width, color, text);
  ImGui::Dummy({std::max(1.0F, width), ImGui::GetTextLineHeight()});
}

bool draw_hit(const Trace& trace, SliceId hit, bool selected, const Theme& theme) {
  const std::uint32_t i = index_of(hit);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(i));
  const ImVec2 at = ImGui::GetCursorPos();
  const bool clicked = ImGui::Selectable("##hit", selected, ImGuiSelectableFlags_SpanAllColumns);
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  ImGui::SetCursorPos(at);
  elided(short_name(trace.name_of(hit)), theme.text);
  ImGui::TableNextColumn();
  const Track& track = trace.tracks[index_of(trace.rows[index_of(trace.row_of(hit))].track)];
  elided(track.name, theme.text_dim);
  ImGui::TableNextColumn();
  right_aligned(seconds_text(trace.slices.start_ns[i]), theme.text_dim);
  ImGui::TableNextColumn();
  right_aligned(text_from_duration(trace.slices.duration_ns[i]), theme.text);
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return clicked;
}

}  // namespace

SliceId draw_hits_table(const Trace& trace, const SearchAnswer* answer, SliceId selected, ImVec2 size,
                        const Theme& theme, float ui_scale) {
  SliceId clicked = kNoSlice;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * ui_scale, 8 * ui_scale});
  ImGui::BeginChild("hits", size, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  if (answer == nullptr) {
    wrapped_text(theme.text_dim, "Press / to search: the hits are listed here.");
  } else if (!answer->error.empty()) {
    wrapped_text(theme.error, answer->error);
  } else if (answer->listed.empty()) {
    wrapped_text(theme.text_dim, "No hits.");
  } else {
    const std::size_t listed = answer->listed.size();
    if (listed < answer->total) {
      wrapped_text(theme.text_dim,
                   "The first " + grouped(listed) + " of " + grouped(answer->total) + " hits, by time.");
    }
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                       ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_Resizable |
                                       ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerV;
    if (ImGui::BeginTable("hits", 4, kFlags)) {
      ImGui::TableSetupScrollFreeze(0, 1);
      ImGui::TableSetupColumn("Name", 0, 5);
      ImGui::TableSetupColumn("Track", 0, 2);
      ImGui::TableSetupColumn("Start", 0, 1.6F);
      ImGui::TableSetupColumn("Duration", 0, 1.1F);
      ImGui::TableHeadersRow();
      ImGuiListClipper clipper;
      clipper.Begin(static_cast<int>(listed));
      while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
          const SliceId hit = answer->listed[static_cast<std::size_t>(i)];
          if (draw_hit(trace, hit, hit == selected, theme)) clicked = hit;
        }
      }
      ImGui::EndTable();
    }
  }
  ImGui::EndChild();
  return clicked;
}

}  // namespace kino
