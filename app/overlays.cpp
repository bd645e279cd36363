#include "app/overlays.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/fonts.hpp"
#include "app/info_lines.hpp"
#include "app/keys.hpp"
#include "app/model_texts.hpp"
#include "app/terminal_text.hpp"
#include "app/widgets.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

struct HelpLine {
  std::string keys;
  std::string_view what;
};

// What the mouse does, before the commands of a group.
struct MouseHelp {
  CommandGroup group;
  Text gesture;
  Text what;
};
constexpr std::array kMouse = {
    MouseHelp{CommandGroup::move, Text::mouse_wheel, Text::mouse_wheel_what},
    MouseHelp{CommandGroup::move, Text::mouse_ctrl_wheel, Text::mouse_ctrl_wheel_what},
    MouseHelp{CommandGroup::move, Text::mouse_shift_wheel, Text::mouse_pan},
    MouseHelp{CommandGroup::move, Text::mouse_drag, Text::mouse_pan},
    MouseHelp{CommandGroup::move, Text::mouse_shift, Text::mouse_shift_what},
    MouseHelp{CommandGroup::move, Text::mouse_overview, Text::mouse_overview_what},
    MouseHelp{CommandGroup::move, Text::mouse_buttons, Text::mouse_buttons_what},
    MouseHelp{CommandGroup::select, Text::mouse_click, Text::mouse_click_what},
    MouseHelp{CommandGroup::select, Text::mouse_double_click, Text::mouse_double_click_what},
    MouseHelp{CommandGroup::select, Text::mouse_ruler, Text::mouse_ruler_what},
    MouseHelp{CommandGroup::select, Text::mouse_shift_drag, Text::mouse_shift_drag_what},
    MouseHelp{CommandGroup::select, Text::mouse_table_row, Text::mouse_table_row_what},
    MouseHelp{CommandGroup::tracks, Text::mouse_name_click, Text::mouse_name_click_what},
    MouseHelp{CommandGroup::tracks, Text::mouse_name_drag, Text::mouse_name_drag_what},
    MouseHelp{CommandGroup::tracks, Text::mouse_right_click, Text::mouse_right_click_what},
    MouseHelp{CommandGroup::bookmarks, Text::mouse_flag, Text::mouse_flag_what},
    MouseHelp{CommandGroup::bookmarks, Text::mouse_right_click, Text::mouse_bookmark_what},
    MouseHelp{CommandGroup::snapshot, Text::mouse_wheel, Text::mouse_ctrl_wheel_what},
    MouseHelp{CommandGroup::snapshot, Text::mouse_ctrl_wheel, Text::mouse_bytes_what},
    MouseHelp{CommandGroup::snapshot, Text::mouse_ruler, Text::mouse_scrub_what},
    MouseHelp{CommandGroup::snapshot, Text::mouse_click, Text::mouse_allocation_what},
    MouseHelp{CommandGroup::snapshot, Text::mouse_ctrl_wheel, Text::mouse_segments_what},
    MouseHelp{CommandGroup::snapshot, Text::mouse_double_click, Text::mouse_flame_what},
    MouseHelp{CommandGroup::files, Text::mouse_drop, Text::mouse_drop_what},
    MouseHelp{CommandGroup::files, Text::mouse_middle_click, Text::mouse_middle_click_what},
    MouseHelp{CommandGroup::window, Text::mouse_pane, Text::mouse_pane_what},
};

Text title_of(CommandGroup group) {
  switch (group) {
    case CommandGroup::move:
      return Text::help_move;
    case CommandGroup::select:
      return Text::help_select;
    case CommandGroup::tracks:
      return Text::help_tracks;
    case CommandGroup::bookmarks:
      return Text::help_bookmarks;
    case CommandGroup::snapshot:
      return Text::help_snapshot;
    case CommandGroup::files:
      return Text::help_files;
    case CommandGroup::window:
      return Text::help_window;
  }
  return Text::help_move;
}

// Nine commands that differ by a digit and are one line.
struct Digits {
  CommandId first;
  CommandId last;
  Text title;
};
constexpr std::array kDigits = {
    Digits{CommandId::bookmark_1, CommandId::bookmark_9, Text::help_go_to_bookmark},
    Digits{CommandId::tab_1, CommandId::tab_9, Text::help_go_to_tab}};

std::vector<HelpLine> lines_of(CommandGroup group, const Keymap& keymap) {
  std::vector<HelpLine> lines;
  for (const MouseHelp& mouse : kMouse) {
    if (mouse.group == group) lines.push_back({tr(mouse.gesture), tr(mouse.what)});
  }
  for (const CommandInfo& command : all_commands()) {
    if (command.group != group) continue;
    const auto* digits = std::ranges::find_if(
        kDigits, [&](const Digits& nine) { return command.id >= nine.first && command.id <= nine.last; });
    if (digits == kDigits.end()) {
      lines.push_back({keymap.text(command.id), tr(command.title)});
    } else if (command.id == digits->first) {
      lines.push_back(
          {filled(Text::from_to, {keymap.first_key_text(digits->first), keymap.first_key_text(digits->last)}),
           tr(digits->title)});
    }
  }
  return lines;
}

float keys_width(const std::vector<HelpLine>& lines) {
  float width = 0;
  for (const HelpLine& line : lines) width = std::max(width, ImGui::CalcTextSize(line.keys.c_str()).x);
  return width;
}

void draw_key_column(const char* id, std::initializer_list<CommandGroup> groups, const Keymap& keymap,
                     const Theme& theme) {
  const float em = ImGui::GetFontSize();
  float width = 4 * em;
  for (const CommandGroup group : groups) width = std::max(width, keys_width(lines_of(group, keymap)));
  // Several long keys of one command go on two lines rather than push the titles away.
  width = std::min(width, std::max(7.5F * em, ImGui::GetContentRegionAvail().x * 0.4F));
  if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, width + em);
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
  bool first = true;
  for (const CommandGroup group : groups) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (!first) ImGui::Dummy(ImVec2(0, em * 0.4F));
    colored_text(theme.accent, tr(title_of(group)));
    first = false;
    for (const HelpLine& line : lines_of(group, keymap)) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      wrapped_text(theme.text, line.keys.empty() ? "-" : line.keys);
      ImGui::TableNextColumn();
      wrapped_text(theme.text_dim, line.what);
    }
  }
  ImGui::EndTable();
}

}  // namespace

bool begin_sheet(Text title_text, bool& open, ImVec2 size_em) {
  const std::string label = with_id(title_text, name_of(title_text));
  const char* title = label.c_str();
  if (open && !ImGui::IsPopupOpen(title)) ImGui::OpenPopup(title);
  if (!ImGui::IsPopupOpen(title)) return false;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  const ImVec2 size(std::min(size_em.x * em, display.x - 2 * em),
                    std::min(size_em.y * em, display.y - 2 * em));
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Always, ImVec2(0.5F, 0.5F));
  ImGui::SetNextWindowSize(size, ImGuiCond_Always);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;
  if (!ImGui::BeginPopupModal(title, &open, kFlags)) return false;
  const ImVec2 position = ImGui::GetWindowPos();
  const bool beside =
      ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowAppearing() &&
      !ImGui::IsMouseHoveringRect(position, ImVec2(position.x + size.x, position.y + size.y), false);
  if (beside || key_pressed(NamedKey::escape)) open = false;
  if (!open) ImGui::CloseCurrentPopup();
  return true;
}

void draw_help_sheet(bool& open, const Keymap& keymap, const Theme& theme) {
  const float em = ImGui::GetFontSize();
  const bool two_columns = ImGui::GetIO().DisplaySize.x >= 50 * em;
  if (!begin_sheet(Text::help_title, open, two_columns ? ImVec2(54, 52) : ImVec2(30, 60))) return;
  if (two_columns) {
    const float half = (ImGui::GetContentRegionAvail().x - 2 * em) / 2;
    ImGui::BeginChild("left", ImVec2(half, 0));
    draw_key_column("move", {CommandGroup::move, CommandGroup::select}, keymap, theme);
    ImGui::EndChild();
    ImGui::SameLine(0, 2 * em);
    ImGui::BeginChild("right", ImVec2(half, 0));
    draw_key_column("files",
                    {CommandGroup::tracks, CommandGroup::bookmarks, CommandGroup::snapshot,
                     CommandGroup::files, CommandGroup::window},
                    keymap, theme);
    ImGui::EndChild();
  } else {
    draw_key_column("all",
                    {CommandGroup::move, CommandGroup::select, CommandGroup::tracks, CommandGroup::bookmarks,
                     CommandGroup::snapshot, CommandGroup::files, CommandGroup::window},
                    keymap, theme);
  }
  ImGui::EndPopup();
}

void draw_debug_overlay(const Document* document, const DebugFigures& figures, const Theme& theme) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  const bool timeline = document != nullptr && document->shows_timeline();
  ImGui::SetNextWindowPos(ImVec2(display.x - em, timeline ? 4.2F * em : display.y - em), ImGuiCond_Always,
                          ImVec2(1, timeline ? 0.0F : 1.0F));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                                      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
  if (ImGui::Begin("debug", nullptr, kFlags)) {
    const auto row = [&](Text label, const std::string& value) {
      colored_text(theme.text_dim, tr(label));
      const float right = 13 * em - ImGui::CalcTextSize(value.c_str()).x;
      ImGui::SameLine(right);
      colored_text(theme.text, value);
    };
    row(Text::debug_frame, fixed(figures.frame_cpu_ms, 2) + " ms");
    if (timeline) {
      const TimelinePanel& panel = document->panel();
      const DrawStats& stats = panel.draw_stats();
      row(Text::debug_timeline, fixed(panel.frame_cpu_ms(), 2) + " ms");
      row(Text::debug_tiles_cpu, fixed(stats.cpu_ms, 2) + " ms");
      row(Text::debug_tiles_drawn, grouped(stats.tiles_drawn));
      row(Text::debug_tiles_missing, grouped(stats.tiles_missing));
      row(Text::debug_instances, grouped(stats.instances));
      row(Text::debug_tile_cache, fixed(static_cast<double>(stats.cache_bytes) / 1e6, 1) + " MB");
    }
    row(Text::debug_draws, fixed(figures.draws_per_second, 0));
  }
  ImGui::End();
}

}  // namespace kino
