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

constexpr std::size_t kLargestFile = 1 << 20;
constexpr std::size_t kMostKeys = 8;

constexpr std::array<CommandInfo, kCommandCount> kCommands = {{
    {Id::zoom_in, "zoom-in", "Zoom in", "W", Group::move, Scope::timeline, true},
    {Id::zoom_out, "zoom-out", "Zoom out", "S", Group::move, Scope::timeline, true},
    {Id::pan_left, "pan-left", "Pan left", "A", Group::move, Scope::timeline, true},
    {Id::pan_right, "pan-right", "Pan right", "D", Group::move, Scope::timeline, true},
    {Id::page_up, "page-up", "Page up", "PageUp", Group::move, Scope::timeline, true},
    {Id::page_down, "page-down", "Page down", "PageDown", Group::move, Scope::timeline, true},
    {Id::scroll_to_top, "scroll-to-top", "First track", "Home", Group::move, Scope::timeline},
    {Id::scroll_to_bottom, "scroll-to-bottom", "Last track", "End", Group::move, Scope::timeline},
    {Id::fit_all, "fit-all", "Fit the whole trace", "R", Group::move, Scope::timeline},
    {Id::undo_view, "undo-view", "Back to where the view was", "Backspace", Group::move, Scope::timeline,
     true},
    {Id::redo_view, "redo-view", "Forward again", "Shift+Backspace", Group::move, Scope::timeline, true},
    {Id::next_step, "next-step", "Next training step", "N", Group::move, Scope::timeline, true},
    {Id::previous_step, "previous-step", "Previous training step", "P", Group::move, Scope::timeline, true},
    {Id::fit_selection, "fit-selection", "Fit the selection or the range", "F", Group::select,
     Scope::timeline},
    {Id::previous_slice, "previous-slice", "Previous slice of the row", "[", Group::select, Scope::timeline,
     true},
    {Id::next_slice, "next-slice", "Next slice of the row", "]", Group::select, Scope::timeline, true},
    {Id::parent_slice, "parent-slice", "Parent slice", "Up", Group::select, Scope::timeline, true},
    {Id::child_slice, "child-slice", "First child slice", "Down", Group::select, Scope::timeline, true},
    {Id::clear_selection, "clear-selection", "Clear the selection", "Esc", Group::select, Scope::timeline},
    {Id::toggle_drawer, "toggle-drawer", "Show or hide the drawer", "Q", Group::select, Scope::timeline},
    {Id::follow_flow, "follow-flow", "Go to the other end of the flow", "G", Group::select, Scope::timeline},
    {Id::follow_flow_back, "follow-flow-back", "Go back along the flow", "Shift+G", Group::select,
     Scope::timeline},
    {Id::toggle_flows, "toggle-flows", "Show all flows in view", "Ctrl+G", Group::select, Scope::timeline},
    {Id::search, "search", "Search", "/ Ctrl+F", Group::select, Scope::timeline},
    {Id::next_hit, "next-hit", "Next hit", "Enter", Group::select, Scope::timeline, true},
    {Id::previous_hit, "previous-hit", "Previous hit", "Shift+Enter", Group::select, Scope::timeline, true},
    {Id::only_matches, "only-matches", "Show only what the search finds", "O", Group::select,
     Scope::timeline},
    {Id::list_hits, "list-hits", "Show the hits as a table", "Shift+O", Group::select, Scope::timeline},
    {Id::filter_tracks, "filter-tracks", "Filter and choose tracks", "Ctrl+Shift+F", Group::tracks,
     Scope::timeline},
    {Id::pin_track, "pin-track", "Pin or unpin a track", "K", Group::tracks, Scope::timeline},
    {Id::hide_track, "hide-track", "Hide a track or group", "H", Group::tracks, Scope::timeline},
    {Id::show_all_tracks, "show-all-tracks", "Show all tracks", "Shift+H", Group::tracks, Scope::timeline},
    {Id::fold_track, "fold-track", "Fold or unfold a track or group", "E", Group::tracks, Scope::timeline},
    {Id::merge_lanes, "merge-lanes", "Merge a track's lanes", "J", Group::tracks, Scope::timeline},
    {Id::taller_track, "taller-track", "Taller track", "=", Group::tracks, Scope::timeline},
    {Id::lower_track, "lower-track", "Lower track", "-", Group::tracks, Scope::timeline},
    {Id::move_track_up, "move-track-up", "Move a track or group up", "Alt+Up", Group::tracks, Scope::timeline,
     true},
    {Id::move_track_down, "move-track-down", "Move a track or group down", "Alt+Down", Group::tracks,
     Scope::timeline, true},
    {Id::pack_streams, "pack-streams", "Pack the streams of GPUs by kind", "Shift+J", Group::tracks,
     Scope::timeline},
    {Id::all_tracks, "all-tracks", "Tracks: all", "Shift+1", Group::tracks, Scope::timeline},
    {Id::gpu_tracks, "gpu-tracks", "Tracks: GPU only", "Shift+2", Group::tracks, Scope::timeline},
    {Id::communication_tracks, "communication-tracks", "Tracks: communication", "Shift+3", Group::tracks,
     Scope::timeline},
    {Id::main_thread_tracks, "main-thread-tracks", "Tracks: main thread and its streams", "Shift+4",
     Group::tracks, Scope::timeline},
    {Id::set_bookmark, "set-bookmark", "Set a bookmark, or edit it", "M", Group::bookmarks, Scope::timeline},
    {Id::list_bookmarks, "list-bookmarks", "List the bookmarks", "Shift+M", Group::bookmarks,
     Scope::timeline},
    {Id::next_bookmark, "next-bookmark", "Next bookmark", ".", Group::bookmarks, Scope::timeline, true},
    {Id::previous_bookmark, "previous-bookmark", "Previous bookmark", ",", Group::bookmarks, Scope::timeline,
     true},
    {Id::bookmark_1, "bookmark-1", "Go to bookmark 1", "Alt+1", Group::bookmarks, Scope::timeline},
    {Id::bookmark_2, "bookmark-2", "Go to bookmark 2", "Alt+2", Group::bookmarks, Scope::timeline},
    {Id::bookmark_3, "bookmark-3", "Go to bookmark 3", "Alt+3", Group::bookmarks, Scope::timeline},
    {Id::bookmark_4, "bookmark-4", "Go to bookmark 4", "Alt+4", Group::bookmarks, Scope::timeline},
    {Id::bookmark_5, "bookmark-5", "Go to bookmark 5", "Alt+5", Group::bookmarks, Scope::timeline},
    {Id::bookmark_6, "bookmark-6", "Go to bookmark 6", "Alt+6", Group::bookmarks, Scope::timeline},
    {Id::bookmark_7, "bookmark-7", "Go to bookmark 7", "Alt+7", Group::bookmarks, Scope::timeline},
    {Id::bookmark_8, "bookmark-8", "Go to bookmark 8", "Alt+8", Group::bookmarks, Scope::timeline},
    {Id::bookmark_9, "bookmark-9", "Go to bookmark 9", "Alt+9", Group::bookmarks, Scope::timeline},
    {Id::delete_bookmark, "delete-bookmark", "Delete the current bookmark", "Delete", Group::bookmarks,
     Scope::timeline},
    {Id::restore_bookmark, "restore-bookmark", "Bring a deleted bookmark back", "Ctrl+Z", Group::bookmarks,
     Scope::timeline},
    {Id::export_bookmarks, "export-bookmarks", "Export the bookmarks", "Ctrl+M", Group::bookmarks,
     Scope::timeline},
    {Id::import_bookmarks, "import-bookmarks", "Import bookmarks", "Ctrl+Shift+M", Group::bookmarks,
     Scope::timeline},
    {Id::open_files, "open-files", "Open files", "Ctrl+O", Group::files, Scope::window},
    {Id::recent_files, "recent-files", "Open a recent file", "Ctrl+R", Group::files, Scope::window},
    {Id::open_sample, "open-sample", "Open the sample", "Ctrl+Shift+O", Group::files, Scope::window},
    {Id::reveal_in_folder, "reveal-in-folder", "Reveal the file in its folder", "Ctrl+Shift+R", Group::files,
     Scope::window},
    {Id::copy_path, "copy-path", "Copy the file's path", "Ctrl+Shift+C", Group::files, Scope::window},
    {Id::reload, "reload", "Load the file again", "F5", Group::files, Scope::window},
    {Id::close_tab, "close-tab", "Close the tab", "Ctrl+W", Group::files, Scope::window},
    {Id::next_tab, "next-tab", "Next tab", "Ctrl+Tab Ctrl+PageDown", Group::files, Scope::window, true},
    {Id::previous_tab, "previous-tab", "Previous tab", "Ctrl+Shift+Tab Ctrl+PageUp", Group::files,
     Scope::window, true},
    {Id::tab_1, "tab-1", "Go to tab 1", "1", Group::files, Scope::window},
    {Id::tab_2, "tab-2", "Go to tab 2", "2", Group::files, Scope::window},
    {Id::tab_3, "tab-3", "Go to tab 3", "3", Group::files, Scope::window},
    {Id::tab_4, "tab-4", "Go to tab 4", "4", Group::files, Scope::window},
    {Id::tab_5, "tab-5", "Go to tab 5", "5", Group::files, Scope::window},
    {Id::tab_6, "tab-6", "Go to tab 6", "6", Group::files, Scope::window},
    {Id::tab_7, "tab-7", "Go to tab 7", "7", Group::files, Scope::window},
    {Id::tab_8, "tab-8", "Go to tab 8", "8", Group::files, Scope::window},
    {Id::tab_9, "tab-9", "Go to tab 9", "9", Group::files, Scope::window},
    {Id::cancel_loading, "cancel-loading", "Cancel loading", "Esc", Group::files, Scope::loading},
    {Id::stop_loading, "stop-loading", "Stop loading, keep what is shown", "Shift+Esc", Group::files,
     Scope::timeline},
    {Id::quit, "quit", "Quit", "Ctrl+Q", Group::files, Scope::always},
    {Id::split_view, "split-view", "Two documents: stacked, side by side, one", "Ctrl+\\ F7", Group::window,
     Scope::window},
    {Id::next_pane, "next-pane", "Give the keys to the other pane", "F6", Group::window, Scope::window},
    {Id::close_pane, "close-pane", "Close the pane", "Ctrl+Shift+W", Group::window, Scope::window},
    {Id::link_time, "link-time", "Link the times of both panes", "L", Group::window, Scope::window},
    {Id::command_palette, "command-palette", "Find a command", "Ctrl+P Ctrl+Shift+P", Group::window,
     Scope::always},
    {Id::toggle_theme, "toggle-theme", "Switch between dark and light", "T", Group::window, Scope::window},
    {Id::color_by_name, "color-by-name", "Colour by name", "Ctrl+1", Group::window, Scope::timeline},
    {Id::color_by_kind, "color-by-kind", "Colour by kind", "Ctrl+2", Group::window, Scope::timeline},
    {Id::color_by_stream, "color-by-stream", "Colour by stream and thread", "Ctrl+3", Group::window,
     Scope::timeline},
    {Id::color_by_module, "color-by-module", "Colour by module", "Ctrl+4", Group::window, Scope::timeline},
    {Id::color_by_duration, "color-by-duration", "Colour by duration among the same name", "Ctrl+5",
     Group::window, Scope::timeline},
    {Id::next_color_mode, "next-color-mode", "Colour by the next of these", "C", Group::window,
     Scope::timeline},
    {Id::full_names, "full-names", "Show full names", "Shift+N", Group::window, Scope::timeline},
    {Id::language_system, "language-system", "Language: as the system", "", Group::window, Scope::window},
    {Id::language_english, "language-english", "Language: English", "", Group::window, Scope::window},
    {Id::language_japanese, "language-japanese", "Language: Japanese", "", Group::window, Scope::window},
    {Id::language_chinese, "language-chinese", "Language: Chinese (simplified)", "", Group::window,
     Scope::window},
    {Id::show_damage, "show-damage", "Show what is damaged in the file", "Ctrl+D", Group::window,
     Scope::window},
    {Id::toggle_debug, "toggle-debug", "Debug figures", "F3", Group::window, Scope::always},
    {Id::toggle_help, "toggle-help", "All keys", "? F1", Group::window, Scope::always},
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
  const auto page = [](CommandScope scope) { return scope == Scope::loading || scope == Scope::timeline; };
  return a == b || !page(a) || !page(b);
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
  if (std::filesystem::file_size(path, code) > kLargestFile || code) {
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
