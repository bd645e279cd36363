#include "app/keymap.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "app/settings.hpp"
#include "app/terminal_text.hpp"

namespace kino {
namespace {

using Group = CommandGroup;
using Id = CommandId;
using Scope = CommandScope;

constexpr std::size_t kLargestKeysFile = 1 << 20;
constexpr std::size_t kMostKeys = 8;

constexpr std::array<CommandInfo, kCommandCount> kCommands = {{
    {Id::zoom_in, "zoom-in", Text::command_zoom_in, "W", Group::move, Scope::view, true},
    {Id::zoom_out, "zoom-out", Text::command_zoom_out, "S", Group::move, Scope::view, true},
    {Id::pan_left, "pan-left", Text::command_pan_left, "A", Group::move, Scope::view, true},
    {Id::pan_right, "pan-right", Text::command_pan_right, "D", Group::move, Scope::view, true},
    {Id::page_up, "page-up", Text::command_page_up, "PageUp", Group::move, Scope::timeline, true},
    {Id::page_down, "page-down", Text::command_page_down, "PageDown", Group::move, Scope::timeline, true},
    {Id::scroll_to_top, "scroll-to-top", Text::command_scroll_to_top, "Home", Group::move, Scope::timeline},
    {Id::scroll_to_bottom, "scroll-to-bottom", Text::command_scroll_to_bottom, "End", Group::move,
     Scope::timeline},
    {Id::fit_all, "fit-all", Text::command_fit_all, "R", Group::move, Scope::view},
    {Id::undo_view, "undo-view", Text::command_undo_view, "Backspace", Group::move, Scope::timeline, true},
    {Id::redo_view, "redo-view", Text::command_redo_view, "Shift+Backspace", Group::move, Scope::timeline,
     true},
    {Id::next_step, "next-step", Text::command_next_step, "N", Group::move, Scope::timeline, true},
    {Id::previous_step, "previous-step", Text::command_previous_step, "P", Group::move, Scope::timeline,
     true},
    {Id::fit_selection, "fit-selection", Text::command_fit_selection, "F", Group::select, Scope::view},
    {Id::previous_slice, "previous-slice", Text::command_previous_slice, "[", Group::select, Scope::timeline,
     true},
    {Id::next_slice, "next-slice", Text::command_next_slice, "]", Group::select, Scope::timeline, true},
    {Id::parent_slice, "parent-slice", Text::command_parent_slice, "Up", Group::select, Scope::timeline,
     true},
    {Id::child_slice, "child-slice", Text::command_child_slice, "Down", Group::select, Scope::timeline, true},
    {Id::clear_selection, "clear-selection", Text::command_clear_selection, "Esc", Group::select,
     Scope::view},
    {Id::toggle_drawer, "toggle-drawer", Text::command_toggle_drawer, "Q", Group::select, Scope::view},
    {Id::follow_flow, "follow-flow", Text::command_follow_flow, "G", Group::select, Scope::timeline},
    {Id::follow_flow_back, "follow-flow-back", Text::command_follow_flow_back, "Shift+G", Group::select,
     Scope::timeline},
    {Id::toggle_flows, "toggle-flows", Text::command_toggle_flows, "Ctrl+G", Group::select, Scope::timeline},
    {Id::search, "search", Text::command_search, "/ Ctrl+F", Group::select, Scope::view},
    {Id::next_hit, "next-hit", Text::command_next_hit, "Enter", Group::select, Scope::timeline, true},
    {Id::previous_hit, "previous-hit", Text::command_previous_hit, "Shift+Enter", Group::select,
     Scope::timeline, true},
    {Id::only_matches, "only-matches", Text::command_only_matches, "O Alt+O", Group::select, Scope::timeline},
    {Id::list_hits, "list-hits", Text::command_list_hits, "Shift+O", Group::select, Scope::view},
    {Id::list_fields, "list-fields", Text::command_list_fields, "F4", Group::select, Scope::timeline},
    {Id::find_same_name, "find-same-name", Text::command_find_same_name, "I", Group::select, Scope::timeline},
    {Id::show_same_name, "show-same-name", Text::command_show_same_name, "Ctrl+I", Group::select,
     Scope::timeline},
    {Id::slice_menu, "slice-menu", Text::command_slice_menu, "Shift+F10", Group::select, Scope::timeline},
    {Id::copy_selection, "copy-selection", Text::command_copy_selection, "Ctrl+C", Group::select,
     Scope::timeline},
    {Id::copy_name, "copy-name", Text::command_copy_name, "Ctrl+N", Group::select, Scope::timeline},
    {Id::copy_arguments, "copy-arguments", Text::command_copy_arguments, "Ctrl+J", Group::select,
     Scope::timeline},
    {Id::copy_stack, "copy-stack", Text::command_copy_stack, "Ctrl+K", Group::select, Scope::timeline},
    {Id::measure_from, "measure-from", Text::command_measure_from, "Ctrl+L", Group::select, Scope::timeline},
    {Id::show_tables, "show-tables", Text::command_show_tables, "Shift+T", Group::select, Scope::view},
    {Id::next_table, "next-table", Text::command_next_table, "Ctrl+Down", Group::select, Scope::view, true},
    {Id::previous_table, "previous-table", Text::command_previous_table, "Ctrl+Up", Group::select,
     Scope::view, true},
    {Id::next_table_scope, "next-table-scope", Text::command_next_table_scope, "Shift+R", Group::select,
     Scope::timeline},
    {Id::filter_columns, "filter-columns", Text::command_filter_columns, "Shift+K", Group::select,
     Scope::view},
    {Id::next_instance, "next-instance", Text::command_next_instance, "Alt+Right", Group::select,
     Scope::timeline, true},
    {Id::previous_instance, "previous-instance", Text::command_previous_instance, "Alt+Left", Group::select,
     Scope::timeline, true},
    {Id::range_all_tracks, "range-all-tracks", Text::command_range_all_tracks, "Alt+T", Group::select,
     Scope::timeline},
    {Id::range_gpu_tracks, "range-gpu-tracks", Text::command_range_gpu_tracks, "Alt+G", Group::select,
     Scope::timeline},
    {Id::range_cpu_tracks, "range-cpu-tracks", Text::command_range_cpu_tracks, "Alt+P", Group::select,
     Scope::timeline},
    {Id::mark_a, "mark-a", Text::command_mark_a, "Alt+A", Group::select, Scope::timeline},
    {Id::mark_b, "mark-b", Text::command_mark_b, "Alt+B", Group::select, Scope::timeline},
    {Id::keep_part, "keep-part", Text::command_keep_part, "Alt+K", Group::select, Scope::timeline},
    {Id::clear_parts, "clear-parts", Text::command_clear_parts, "Alt+X", Group::select, Scope::timeline},
    {Id::show_compare, "show-compare", Text::command_show_compare, "Alt+C", Group::select, Scope::timeline},
    {Id::filter_tracks, "filter-tracks", Text::command_filter_tracks, "Ctrl+Shift+F", Group::tracks,
     Scope::timeline},
    {Id::pin_track, "pin-track", Text::command_pin_track, "K", Group::tracks, Scope::timeline},
    {Id::hide_track, "hide-track", Text::command_hide_track, "H", Group::tracks, Scope::timeline},
    {Id::show_all_tracks, "show-all-tracks", Text::track_show_all, "Shift+H", Group::tracks, Scope::timeline},
    {Id::fold_track, "fold-track", Text::command_fold_track, "E", Group::tracks, Scope::timeline},
    {Id::merge_lanes, "merge-lanes", Text::command_merge_lanes, "J", Group::tracks, Scope::timeline},
    {Id::taller_track, "taller-track", Text::command_taller_track, "=", Group::tracks, Scope::timeline},
    {Id::lower_track, "lower-track", Text::command_lower_track, "-", Group::tracks, Scope::timeline},
    {Id::rename_track, "rename-track", Text::command_rename_track, "F2", Group::tracks, Scope::timeline},
    {Id::move_track_up, "move-track-up", Text::command_move_track_up, "Alt+Up", Group::tracks,
     Scope::timeline, true},
    {Id::move_track_down, "move-track-down", Text::command_move_track_down, "Alt+Down", Group::tracks,
     Scope::timeline, true},
    {Id::pack_streams, "pack-streams", Text::command_pack_streams, "Shift+J", Group::tracks, Scope::timeline},
    {Id::show_counters, "show-counters", Text::command_show_counters, "U", Group::tracks, Scope::timeline},
    {Id::show_idle, "show-idle", Text::command_show_idle, "Shift+U", Group::tracks, Scope::timeline},
    {Id::all_tracks, "all-tracks", Text::command_all_tracks, "Shift+1", Group::tracks, Scope::timeline},
    {Id::gpu_tracks, "gpu-tracks", Text::command_gpu_tracks, "Shift+2", Group::tracks, Scope::timeline},
    {Id::communication_tracks, "communication-tracks", Text::command_communication_tracks, "Shift+3",
     Group::tracks, Scope::timeline},
    {Id::main_thread_tracks, "main-thread-tracks", Text::command_main_thread_tracks, "Shift+4", Group::tracks,
     Scope::timeline},
    {Id::set_bookmark, "set-bookmark", Text::command_set_bookmark, "M", Group::bookmarks, Scope::timeline},
    {Id::list_bookmarks, "list-bookmarks", Text::command_list_bookmarks, "Shift+M", Group::bookmarks,
     Scope::timeline},
    {Id::next_bookmark, "next-bookmark", Text::command_next_bookmark, ".", Group::bookmarks, Scope::timeline,
     true},
    {Id::previous_bookmark, "previous-bookmark", Text::command_previous_bookmark, ",", Group::bookmarks,
     Scope::timeline, true},
    {Id::bookmark_1, "bookmark-1", Text::command_bookmark_1, "Alt+1", Group::bookmarks, Scope::timeline},
    {Id::bookmark_2, "bookmark-2", Text::command_bookmark_2, "Alt+2", Group::bookmarks, Scope::timeline},
    {Id::bookmark_3, "bookmark-3", Text::command_bookmark_3, "Alt+3", Group::bookmarks, Scope::timeline},
    {Id::bookmark_4, "bookmark-4", Text::command_bookmark_4, "Alt+4", Group::bookmarks, Scope::timeline},
    {Id::bookmark_5, "bookmark-5", Text::command_bookmark_5, "Alt+5", Group::bookmarks, Scope::timeline},
    {Id::bookmark_6, "bookmark-6", Text::command_bookmark_6, "Alt+6", Group::bookmarks, Scope::timeline},
    {Id::bookmark_7, "bookmark-7", Text::command_bookmark_7, "Alt+7", Group::bookmarks, Scope::timeline},
    {Id::bookmark_8, "bookmark-8", Text::command_bookmark_8, "Alt+8", Group::bookmarks, Scope::timeline},
    {Id::bookmark_9, "bookmark-9", Text::command_bookmark_9, "Alt+9", Group::bookmarks, Scope::timeline},
    {Id::delete_bookmark, "delete-bookmark", Text::command_delete_bookmark, "Delete", Group::bookmarks,
     Scope::timeline},
    {Id::restore_bookmark, "restore-bookmark", Text::command_restore_bookmark, "Ctrl+Z", Group::bookmarks,
     Scope::timeline},
    {Id::export_bookmarks, "export-bookmarks", Text::command_export_bookmarks, "Ctrl+M", Group::bookmarks,
     Scope::timeline},
    {Id::import_bookmarks, "import-bookmarks", Text::command_import_bookmarks, "Ctrl+Shift+M",
     Group::bookmarks, Scope::timeline},
    {Id::zoom_bytes_in, "zoom-bytes-in", Text::command_zoom_bytes_in, "Shift+W", Group::snapshot,
     Scope::snapshot, true},
    {Id::zoom_bytes_out, "zoom-bytes-out", Text::command_zoom_bytes_out, "Shift+S", Group::snapshot,
     Scope::snapshot, true},
    {Id::go_to_peak, "go-to-peak", Text::command_go_to_peak, "P", Group::snapshot, Scope::snapshot},
    {Id::go_to_oom, "go-to-oom", Text::command_go_to_oom, "O", Group::snapshot, Scope::snapshot},
    {Id::show_kernel, "show-kernel", Text::command_show_kernel, "G", Group::snapshot, Scope::snapshot},
    {Id::list_live, "list-live", Text::command_list_live, "Shift+L", Group::snapshot, Scope::snapshot},
    {Id::compare_moments, "compare-moments", Text::command_compare_moments, "M", Group::snapshot,
     Scope::snapshot},
    {Id::open_source, "open-source", Text::command_open_source, "Shift+G", Group::snapshot, Scope::snapshot},
    {Id::show_segments, "show-segments", Text::command_show_segments, "Shift+M", Group::snapshot,
     Scope::snapshot},
    {Id::find_event, "find-event", Text::command_find_event, "Shift+E", Group::snapshot, Scope::snapshot},
    {Id::next_event, "next-event", Text::command_next_event, "Alt+Right", Group::snapshot, Scope::snapshot,
     true},
    {Id::previous_event, "previous-event", Text::command_previous_event, "Alt+Left", Group::snapshot,
     Scope::snapshot, true},
    {Id::next_on_block, "next-event-on-block", Text::command_next_on_block, "]", Group::snapshot,
     Scope::snapshot, true},
    {Id::previous_on_block, "previous-event-on-block", Text::command_previous_on_block, "[", Group::snapshot,
     Scope::snapshot, true},
    {Id::show_flame, "show-flame-graph", Text::command_show_flame, "Shift+F", Group::window, Scope::view},
    {Id::flame_zoom_in, "flame-zoom-in", Text::command_flame_zoom_in, "Enter", Group::snapshot,
     Scope::snapshot},
    {Id::flame_zoom_out, "flame-zoom-out", Text::command_flame_zoom_out, "Backspace", Group::snapshot,
     Scope::snapshot, true},
    {Id::flame_up, "flame-up", Text::command_flame_up, "Up", Group::snapshot, Scope::snapshot, true},
    {Id::flame_down, "flame-down", Text::command_flame_down, "Down", Group::snapshot, Scope::snapshot, true},
    {Id::flame_left, "flame-left", Text::command_flame_left, "Left", Group::snapshot, Scope::snapshot, true},
    {Id::flame_right, "flame-right", Text::command_flame_right, "Right", Group::snapshot, Scope::snapshot,
     true},
    {Id::flame_find, "flame-find", Text::command_flame_find, "Ctrl+Shift+F", Group::snapshot,
     Scope::snapshot},
    {Id::flame_bottom_up, "flame-bottom-up", Text::command_flame_bottom_up, "Shift+B", Group::window,
     Scope::view},
    {Id::flame_libraries, "flame-libraries", Text::command_flame_libraries, "Shift+I", Group::snapshot,
     Scope::snapshot},
    {Id::flame_time, "flame-time", Text::command_flame_time, "Shift+V", Group::window, Scope::timeline},
    {Id::flame_copy, "flame-copy", Text::command_flame_copy, "Ctrl+E", Group::window, Scope::view},
    {Id::next_found, "next-found", Text::command_next_found, "N", Group::snapshot, Scope::snapshot, true},
    {Id::previous_found, "previous-found", Text::command_previous_found, "Shift+N", Group::snapshot,
     Scope::snapshot, true},
    {Id::show_categories, "show-categories", Text::command_show_categories, "Shift+C", Group::snapshot,
     Scope::snapshot},
    {Id::time_axis, "time-axis", Text::command_time_axis, "X", Group::snapshot, Scope::snapshot},
    {Id::only_hits, "only-hits", Text::command_only_hits, "Shift+X", Group::snapshot, Scope::snapshot},
    {Id::overlay_other, "overlay-other-snapshot", Text::command_overlay_other, "Alt+O", Group::snapshot,
     Scope::snapshot},
    {Id::live_by_size, "live-by-size", Text::command_live_by_size, "Shift+Z", Group::snapshot,
     Scope::snapshot},
    {Id::next_layout, "next-layout", Text::command_next_layout, "Y", Group::snapshot, Scope::snapshot},
    {Id::layout_stacked, "layout-stacked", Text::command_layout_stacked, "Ctrl+1", Group::snapshot,
     Scope::snapshot},
    {Id::layout_stack, "layout-by-stack", Text::command_layout_stack, "Ctrl+2", Group::snapshot,
     Scope::snapshot},
    {Id::layout_stream, "layout-by-stream", Text::command_layout_stream, "Ctrl+3", Group::snapshot,
     Scope::snapshot},
    {Id::layout_pool, "layout-by-pool", Text::command_layout_pool, "Ctrl+4", Group::snapshot,
     Scope::snapshot},
    {Id::layout_segment, "layout-by-segment", Text::command_layout_segment, "Ctrl+5", Group::snapshot,
     Scope::snapshot},
    {Id::layout_lanes, "layout-lanes", Text::command_layout_lanes, "Ctrl+6", Group::snapshot,
     Scope::snapshot},
    {Id::layout_addresses, "layout-addresses", Text::command_layout_addresses, "Ctrl+7", Group::snapshot,
     Scope::snapshot},
    {Id::next_device, "next-device", Text::command_next_device, "V", Group::snapshot, Scope::snapshot},
    {Id::show_memory, "show-memory", Text::command_show_memory, "Shift+Y", Group::window, Scope::view},
    {Id::open_files, "open-files", Text::command_open_files, "Ctrl+O", Group::files, Scope::window},
    {Id::recent_files, "recent-files", Text::command_recent_files, "Ctrl+R", Group::files, Scope::window},
    {Id::open_sample, "open-sample", Text::open_sample, "Ctrl+Shift+O", Group::files, Scope::window},
    {Id::reveal_in_folder, "reveal-in-folder", Text::command_reveal_in_folder, "Ctrl+Shift+R", Group::files,
     Scope::window},
    {Id::copy_path, "copy-path", Text::command_copy_path, "Ctrl+Shift+C", Group::files, Scope::window},
    {Id::save_png, "save-png", Text::command_save_png, "Ctrl+S", Group::files, Scope::view},
    {Id::save_svg, "save-svg", Text::command_save_svg, "Ctrl+Shift+S", Group::files, Scope::view},
    {Id::save_trimmed, "save-trimmed", Text::command_save_trimmed, "Ctrl+T", Group::files, Scope::timeline},
    {Id::copy_link, "copy-link", Text::command_copy_link, "Ctrl+Shift+L", Group::files, Scope::view},
    {Id::paste_link, "paste-link", Text::command_paste_link, "Ctrl+V", Group::files, Scope::window},
    {Id::reload, "reload", Text::command_reload, "F5", Group::files, Scope::window},
    {Id::close_tab, "close-tab", Text::command_close_tab, "Ctrl+W", Group::files, Scope::window},
    {Id::next_tab, "next-tab", Text::command_next_tab, "Ctrl+Tab Ctrl+PageDown", Group::files, Scope::window,
     true},
    {Id::previous_tab, "previous-tab", Text::command_previous_tab, "Ctrl+Shift+Tab Ctrl+PageUp", Group::files,
     Scope::window, true},
    {Id::tab_1, "tab-1", Text::command_tab_1, "1", Group::files, Scope::window},
    {Id::tab_2, "tab-2", Text::command_tab_2, "2", Group::files, Scope::window},
    {Id::tab_3, "tab-3", Text::command_tab_3, "3", Group::files, Scope::window},
    {Id::tab_4, "tab-4", Text::command_tab_4, "4", Group::files, Scope::window},
    {Id::tab_5, "tab-5", Text::command_tab_5, "5", Group::files, Scope::window},
    {Id::tab_6, "tab-6", Text::command_tab_6, "6", Group::files, Scope::window},
    {Id::tab_7, "tab-7", Text::command_tab_7, "7", Group::files, Scope::window},
    {Id::tab_8, "tab-8", Text::command_tab_8, "8", Group::files, Scope::window},
    {Id::tab_9, "tab-9", Text::command_tab_9, "9", Group::files, Scope::window},
    {Id::cancel_loading, "cancel-loading", Text::command_cancel_loading, "Esc", Group::files, Scope::loading},
    {Id::stop_loading, "stop-loading", Text::command_stop_loading, "Shift+Esc", Group::files, Scope::view},
    {Id::quit, "quit", Text::command_quit, "Ctrl+Q", Group::files, Scope::always},
    {Id::split_view, "split-view", Text::command_split_view, "Ctrl+\\ F7", Group::window, Scope::window},
    {Id::second_pane, "second-pane", Text::command_second_pane, "Shift+F7", Group::window, Scope::view},
    {Id::next_pane, "next-pane", Text::command_next_pane, "F6", Group::window, Scope::window},
    {Id::close_pane, "close-pane", Text::command_close_pane, "Ctrl+Shift+W", Group::window, Scope::window},
    {Id::link_time, "link-time", Text::command_link_time, "L", Group::window, Scope::window},
    {Id::share_bytes, "share-bytes", Text::command_share_bytes, "Alt+Y", Group::window, Scope::window},
    {Id::command_palette, "command-palette", Text::palette_title, "Ctrl+P Ctrl+Shift+P", Group::window,
     Scope::always},
    {Id::toggle_theme, "toggle-theme", Text::command_toggle_theme, "T", Group::window, Scope::window},
    {Id::color_by_name, "color-by-name", Text::command_color_by_name, "Ctrl+1", Group::window,
     Scope::timeline},
    {Id::color_by_kind, "color-by-kind", Text::command_color_by_kind, "Ctrl+2", Group::window,
     Scope::timeline},
    {Id::color_by_stream, "color-by-stream", Text::command_color_by_stream, "Ctrl+3", Group::window,
     Scope::timeline},
    {Id::color_by_module, "color-by-module", Text::command_color_by_module, "Ctrl+4", Group::window,
     Scope::timeline},
    {Id::color_by_duration, "color-by-duration", Text::command_color_by_duration, "Ctrl+5", Group::window,
     Scope::timeline},
    {Id::next_color_mode, "next-color-mode", Text::command_next_color_mode, "C", Group::window, Scope::view},
    {Id::full_names, "full-names", Text::command_full_names, "Shift+N", Group::window, Scope::timeline},
    {Id::larger_interface, "larger-interface", Text::command_larger_interface, "Ctrl+=", Group::window,
     Scope::always, true},
    {Id::smaller_interface, "smaller-interface", Text::command_smaller_interface, "Ctrl+-", Group::window,
     Scope::always, true},
    {Id::usual_interface, "usual-interface", Text::command_usual_interface, "Ctrl+0", Group::window,
     Scope::always},
    {Id::language_system, "language-system", Text::language_system, "", Group::window, Scope::window},
    {Id::language_english, "language-english", Text::language_english, "", Group::window, Scope::window},
    {Id::language_japanese, "language-japanese", Text::language_japanese, "", Group::window, Scope::window},
    {Id::language_chinese, "language-chinese", Text::language_chinese, "", Group::window, Scope::window},
    {Id::units_decimal, "units-decimal", Text::units_decimal, "", Group::window, Scope::window},
    {Id::units_binary, "units-binary", Text::units_binary, "", Group::window, Scope::window},
    {Id::show_damage, "show-damage", Text::command_show_damage, "Ctrl+D", Group::window, Scope::window},
    {Id::toggle_debug, "toggle-debug", Text::command_toggle_debug, "F3", Group::window, Scope::always},
    {Id::toggle_help, "toggle-help", Text::command_toggle_help, "? F1", Group::window, Scope::always},
}};

std::vector<KeyChord> default_keys(const CommandInfo& command) {
  std::vector<KeyChord> keys;
  std::string_view rest = command.default_keys;
  while (!rest.empty()) {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    if (const auto chord = chord_from_text(rest.substr(0, space))) keys.push_back(*chord);
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
  return keys;
}

// The keys of one entry of keys.json; nullopt with a sentence in `problem` when it makes no sense.
std::optional<std::vector<KeyChord>> keys_from_json(const std::string& name, const nlohmann::json& value,
                                                    std::string& problem) {
  std::vector<KeyChord> keys;
  if (value.is_null()) return keys;
  const nlohmann::json list = value.is_array() ? value : nlohmann::json::array({value});
  if (list.size() > kMostKeys) {
    problem = "\"" + name + "\" has more than " + std::to_string(kMostKeys) + " keys and was ignored";
    return std::nullopt;
  }
  for (const nlohmann::json& entry : list) {
    const auto chord =
        entry.is_string() ? chord_from_text(entry.get_ref<const std::string&>()) : std::optional<KeyChord>();
    if (!chord) {
      problem = escaped(entry.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) + " of \"" +
                name + "\" is no key and was ignored";
      return std::nullopt;
    }
    keys.push_back(*chord);
  }
  return keys;
}

}  // namespace

bool scopes_meet(CommandScope a, CommandScope b) {
  const auto page = [](CommandScope scope) { return scope != Scope::always && scope != Scope::window; };
  const auto content = [](CommandScope scope) {
    return scope == Scope::timeline || scope == Scope::snapshot;
  };
  if (a == b || !page(a) || !page(b)) return true;
  return (a == Scope::view && content(b)) || (b == Scope::view && content(a));
}

std::span<const CommandInfo, kCommandCount> all_commands() { return kCommands; }

const CommandInfo& info_of(CommandId command) { return kCommands[index_of(command)]; }

std::optional<CommandId> command_named(std::string_view name) {
  const auto found = std::ranges::find(kCommands, name, &CommandInfo::name);
  return found == kCommands.end() ? std::nullopt : std::optional(found->id);
}

Keymap::Keymap() {
  for (const CommandInfo& command : kCommands) keys_[index_of(command.id)] = default_keys(command);
}

Keymap Keymap::from_json(std::string_view text) {
  Keymap map;
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    map.problems_.emplace_back("the keys are no JSON object and were ignored");
    return map;
  }
  std::array<bool, kCommandCount> given{};
  for (const auto& [name, value] : json.items()) {
    const auto command = command_named(name);
    std::string problem;
    if (!command) {
      map.problems_.push_back("there is no command \"" + escaped(name) + "\", its keys were ignored");
    } else if (auto keys = keys_from_json(name, value, problem)) {
      map.keys_[index_of(*command)] = std::move(*keys);
      given[index_of(*command)] = true;
    } else {
      map.problems_.push_back(std::move(problem));
    }
  }
  const auto has = [&](const CommandInfo& command, const KeyChord& chord) {
    const auto& keys = map.keys_[index_of(command.id)];
    return std::ranges::find(keys, chord) != keys.end();
  };
  for (const CommandInfo& command : kCommands) {
    if (!given[index_of(command.id)]) continue;
    for (const KeyChord& chord : map.keys(command.id)) {
      for (const CommandInfo& other : kCommands) {
        if (other.id == command.id || !scopes_meet(command.scope, other.scope) || !has(other, chord)) {
          continue;
        }
        if (!given[index_of(other.id)]) {
          std::erase(map.keys_[index_of(other.id)], chord);
        } else if (command.id < other.id) {
          map.problems_.push_back(text_of(chord) + " is the key of \"" + std::string(command.name) +
                                  "\" and of \"" + std::string(other.name) + "\", the first has it");
          std::erase(map.keys_[index_of(other.id)], chord);
        }
      }
    }
  }
  return map;
}

std::string Keymap::text(CommandId command) const {
  std::string text;
  for (const KeyChord& chord : keys(command)) text += (text.empty() ? "" : ", ") + text_of(chord);
  return text;
}

std::string Keymap::first_key_text(CommandId command) const {
  return keys(command).empty() ? std::string() : text_of(keys(command).front());
}

std::filesystem::path keymap_path() {
  const std::filesystem::path settings = settings_path();
  return settings.empty() ? settings : settings.parent_path() / "keys.json";
}

Keymap read_keymap(const std::filesystem::path& path) {
  std::error_code code;
  if (path.empty() || !std::filesystem::exists(path, code)) return {};
  Keymap unread;
  if (std::filesystem::file_size(path, code) > kLargestKeysFile || code) {
    unread.problems_.emplace_back("the keys are no small file and were ignored");
    return unread;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    unread.problems_.emplace_back("the keys cannot be read and were ignored");
    return unread;
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return Keymap::from_json(text);
}

}  // namespace kino
