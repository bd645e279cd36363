#include "app/view_menu.hpp"

#include <array>
#include <optional>

#include <imgui.h>

#include "app/widgets.hpp"

namespace kino {
namespace {

/// One part of the menu, under a line; a title makes it a menu of its own.
struct Section {
  std::optional<Text> title;
  std::span<const CommandId> commands;
};

constexpr std::array kWindow = {CommandId::toggle_theme, CommandId::toggle_debug};
constexpr std::array kPanels = {CommandId::toggle_drawer,   CommandId::show_tables, CommandId::list_bookmarks,
                                CommandId::toggle_flows,    CommandId::list_hits,   CommandId::only_matches,
                                CommandId::list_fields,     CommandId::show_memory, CommandId::show_flame,
                                CommandId::flame_bottom_up, CommandId::flame_time};
constexpr std::array kSnapshot = {
    CommandId::go_to_peak,      CommandId::go_to_oom,       CommandId::list_live,
    CommandId::live_by_size,    CommandId::only_hits,       CommandId::compare_moments,
    CommandId::flame_libraries, CommandId::show_categories, CommandId::show_segments,
    CommandId::save_png,        CommandId::save_svg,        CommandId::find_event,
    CommandId::time_axis,       CommandId::next_device,     CommandId::show_kernel,
    CommandId::overlay_other};
constexpr std::array kLayouts = {
    CommandId::layout_stacked, CommandId::layout_stack, CommandId::layout_stream,    CommandId::layout_pool,
    CommandId::layout_segment, CommandId::layout_lanes, CommandId::layout_addresses, CommandId::next_layout};
constexpr std::array kTracks = {CommandId::filter_tracks,      CommandId::show_all_tracks,
                                CommandId::gpu_tracks,         CommandId::communication_tracks,
                                CommandId::main_thread_tracks, CommandId::pack_streams,
                                CommandId::show_counters,      CommandId::show_idle};
constexpr std::array kColorCommands = {CommandId::color_by_name,     CommandId::color_by_kind,
                                       CommandId::color_by_stream,   CommandId::color_by_module,
                                       CommandId::color_by_duration, CommandId::next_color_mode};
constexpr std::array kNameCommands = {CommandId::full_names};
constexpr std::array kScale = {CommandId::larger_interface, CommandId::smaller_interface,
                               CommandId::usual_interface};
constexpr std::array kLanguages = {CommandId::language_system, CommandId::language_english,
                                   CommandId::language_japanese, CommandId::language_chinese};
constexpr std::array kUnits = {CommandId::units_decimal, CommandId::units_binary};
constexpr std::array kSplit = {CommandId::split_view, CommandId::link_time, CommandId::share_bytes};
constexpr std::array kSections = {
    Section{Text::view_tracks, kTracks},     Section{Text::view_color_by, kColorCommands},
    Section{Text::help_snapshot, kSnapshot}, Section{Text::view_layout, kLayouts},
    Section{std::nullopt, kNameCommands},    Section{std::nullopt, kPanels},
    Section{std::nullopt, kSplit},           Section{Text::view_scale, kScale},
    Section{Text::view_units, kUnits},       Section{Text::view_language, kLanguages},
    Section{std::nullopt, kWindow}};

void draw_items(Commands& commands, std::span<const CommandId> ids) {
  for (const CommandId id : ids) {
    const std::string key = commands.keymap().first_key_text(id);
    if (ImGui::MenuItem(tr(info_of(id).title), key.c_str(), commands.checked(id), commands.available(id))) {
      commands.run(id);
    }
  }
}

}  // namespace

void draw_view_menu(Commands& commands) {
  if (!ImGui::BeginPopup(kViewMenu)) return;
  if (popup_closed_by_escape()) return;
  bool first = true;
  for (const Section& section : kSections) {
    if (section.title) {
      if (ImGui::BeginMenu(with_id(*section.title, name_of(*section.title)).c_str())) {
        draw_items(commands, section.commands);
        ImGui::EndMenu();
      }
    } else {
      if (!first) ImGui::Separator();
      draw_items(commands, section.commands);
    }
    first = false;
  }
  ImGui::EndPopup();
}

}  // namespace kino
