#include "app/shell/overlays.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/widgets/field_focus.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/sheet.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/ascii.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

// A mouse gesture, listed before the commands of its group.
struct MouseHelp {
  CommandGroup group;
  Text gesture;
  Text what;
};
constexpr std::array kMouse = {
    MouseHelp{CommandGroup::move, Text::mouse_wheel, Text::mouse_wheel_what},
    MouseHelp{CommandGroup::move, Text::mouse_ctrl_wheel, Text::mouse_ctrl_wheel_what},
    MouseHelp{CommandGroup::move, Text::mouse_shift_wheel, Text::mouse_pan},
    MouseHelp{CommandGroup::move, Text::mouse_pan_drag, Text::mouse_pan},
    MouseHelp{CommandGroup::move, Text::mouse_shift, Text::mouse_shift_what},
    MouseHelp{CommandGroup::move, Text::mouse_overview, Text::mouse_overview_what},
    MouseHelp{CommandGroup::move, Text::mouse_buttons, Text::mouse_buttons_what},
    MouseHelp{CommandGroup::select, Text::mouse_click, Text::mouse_click_what},
    MouseHelp{CommandGroup::select, Text::mouse_double_click, Text::mouse_double_click_what},
    MouseHelp{CommandGroup::select, Text::mouse_right_click, Text::mouse_slice_menu_what},
    MouseHelp{CommandGroup::select, Text::mouse_ruler, Text::mouse_ruler_what},
    MouseHelp{CommandGroup::select, Text::mouse_ctrl_click, Text::mouse_ctrl_click_what},
    MouseHelp{CommandGroup::select, Text::mouse_drag, Text::mouse_drag_what},
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

// Commands that differ only by a digit and share one line.
struct Digits {
  CommandId first;
  CommandId last;
  Text title;
};
constexpr std::array kDigits = {
    Digits{CommandId::bookmark_1, CommandId::bookmark_9, Text::help_go_to_bookmark},
    Digits{CommandId::tab_1, CommandId::tab_9, Text::help_go_to_tab}};

/// Whether `text` contains every word of the filter.
bool passes(std::string_view filter, std::string_view text) {
  while (!filter.empty()) {
    const std::size_t space = std::min(filter.find(' '), filter.size());
    if (!contains_ignoring_case(text, filter.substr(0, space))) return false;
    filter.remove_prefix(std::min(space + 1, filter.size()));
  }
  return true;
}

/// Returns the pages to which the mouse gestures of a group apply.
CommandScope scope_of_mouse(CommandGroup group) {
  switch (group) {
    case CommandGroup::snapshot:
      return CommandScope{PageKind::snapshot};
    case CommandGroup::files:
    case CommandGroup::window:
      return CommandScope{CommandScope::Reach::window};
    default:
      return CommandScope{PageKind::timeline};
  }
}

}  // namespace

struct HelpSheet::Line {
  std::string keys;
  std::string_view what;
};

std::vector<HelpSheet::Line> HelpSheet::lines_of(CommandGroup group, const Keymap& keymap) const {
  std::vector<Line> lines;
  const auto add = [&](CommandScope scope, std::string keys, std::string_view what) {
    if (!all_pages_ && !scope.applies_to(page_)) return;
    if (passes(filter_.data(), keys + ' ' + std::string(what))) lines.push_back({std::move(keys), what});
  };
  for (const MouseHelp& mouse : kMouse) {
    if (mouse.group == group) add(scope_of_mouse(group), tr(mouse.gesture), tr(mouse.what));
  }
  for (const CommandInfo& command : all_commands()) {
    if (command.group != group) continue;
    const auto* digits = std::ranges::find_if(
        kDigits, [&](const Digits& nine) { return command.id >= nine.first && command.id <= nine.last; });
    if (digits == kDigits.end()) {
      add(command.scope, keymap.text(command.id), tr(command.title));
    } else if (command.id == digits->first) {
      add(command.scope,
          filled(Text::from_to, {keymap.first_key_text(digits->first), keymap.first_key_text(digits->last)}),
          tr(digits->title));
    }
  }
  return lines;
}

void HelpSheet::draw_column(const char* id, std::span<const CommandGroup> groups, const Keymap& keymap,
                            const Theme& theme) {
  const float em = ImGui::GetFontSize();
  float width = 4 * em;
  std::vector<std::vector<Line>> lines;
  for (const CommandGroup group : groups) {
    lines.push_back(lines_of(group, keymap));
    for (const Line& line : lines.back()) width = std::max(width, ImGui::CalcTextSize(line.keys.c_str()).x);
  }
  // Limit the width of the keys: those that do not fit wrap, so that enough room for titles remains.
  width = std::min(width, std::max(7.5F * em, ImGui::GetContentRegionAvail().x * 0.4F));
  if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, width + em);
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
  bool first = true;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (lines[i].empty()) continue;
    lines_ += lines[i].size();
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (!first) ImGui::Dummy(ImVec2(0, em * 0.4F));
    colored_text(theme.accent, tr(title_of(groups[i])));
    first = false;
    for (const Line& line : lines[i]) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      wrapped_text(theme.text, line.keys.empty() ? "-" : line.keys);
      ImGui::TableNextColumn();
      wrapped_text(theme.text_dim, line.what);
    }
  }
  ImGui::EndTable();
}

bool HelpSheet::draw(bool& open, PageKind page, const Keymap& keymap, const Theme& theme) {
  const bool appears = open && !was_open_;
  was_open_ = open;
  page_ = page;
  lines_ = 0;
  if (appears) {
    filter_.fill('\0');
    all_pages_ = false;
  }
  const float em = ImGui::GetFontSize();
  const bool two_columns = ImGui::GetIO().DisplaySize.x >= 50 * em;
  if (!begin_sheet(Text::help_title, open, two_columns ? ImVec2(54, 52) : ImVec2(30, 60))) return false;
  if (appears) focus_next_field();
  ImGui::SetNextItemWidth(std::min(22 * em, ImGui::GetContentRegionAvail().x * 0.6F));
  ImGui::InputTextWithHint("##filter", tr(Text::help_filter), filter_.data(), filter_.size());
  // A "?" in the empty filter closes the sheet: by default, this key opens the sheet, and here the filter has
  // the keyboard.
  if (std::string_view(filter_.data()) == "?") open = false;
  if (!open) ImGui::CloseCurrentPopup();
  ImGui::SameLine(0, em);
  ImGui::Checkbox(with_id(Text::help_all_pages, "all_pages").c_str(), &all_pages_);
  ImGui::SameLine(0, em);
  const bool opens_guide = flat_button(
      tr(Text::command_open_guide), hint_with_key(Text::command_open_guide, CommandId::open_guide).c_str());
  ImGui::Dummy(ImVec2(0, em * 0.2F));
  constexpr std::array kGroups = {CommandGroup::move,      CommandGroup::select,   CommandGroup::tracks,
                                  CommandGroup::bookmarks, CommandGroup::snapshot, CommandGroup::files,
                                  CommandGroup::window};
  const std::span<const CommandGroup> groups(kGroups);
  if (two_columns) {
    // Split the groups into two columns of about equal length.
    std::size_t all = 0;
    for (const CommandGroup group : groups) all += lines_of(group, keymap).size();
    std::size_t split = 0;
    std::size_t above = 0;
    while (split + 1 < groups.size() && (split == 0 || 2 * above < all)) {
      above += lines_of(groups[split++], keymap).size();
    }
    const float half = (ImGui::GetContentRegionAvail().x - 2 * em) / 2;
    ImGui::BeginChild("left", ImVec2(half, 0));
    draw_column("left", groups.first(split), keymap, theme);
    ImGui::EndChild();
    ImGui::SameLine(0, 2 * em);
    ImGui::BeginChild("right", ImVec2(half, 0));
    draw_column("right", groups.subspan(split), keymap, theme);
    ImGui::EndChild();
  } else {
    draw_column("all", groups, keymap, theme);
  }
  if (lines_ == 0) colored_text(theme.text_dim, tr(Text::help_none));
  ImGui::EndPopup();
  return opens_guide;
}

void draw_debug_overlay(const Document* document, const DebugFigures& figures, const Theme& theme) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  const auto* const timeline = document != nullptr ? document->as<TimelinePanel>() : nullptr;
  ImGui::SetNextWindowPos(ImVec2(display.x - em, timeline != nullptr ? 4.2F * em : display.y - em),
                          ImGuiCond_Always, ImVec2(1, timeline != nullptr ? 0.0F : 1.0F));
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
    if (timeline != nullptr) {
      const DrawStats& stats = timeline->draw_stats();
      row(Text::debug_timeline, fixed(timeline->frame_cpu_ms(), 2) + " ms");
      row(Text::debug_tiles_cpu, fixed(stats.cpu_ms, 2) + " ms");
      row(Text::debug_tiles_drawn, grouped(stats.tiles_drawn));
      row(Text::debug_tiles_missing, grouped(stats.tiles_missing));
      row(Text::debug_instances, grouped(stats.instances));
      row(Text::debug_tile_cache, text_from_bytes(static_cast<double>(stats.cache_bytes)));
    }
    row(Text::debug_draws, fixed(figures.draws_per_second, 0));
  }
  ImGui::End();
}

}  // namespace kino
