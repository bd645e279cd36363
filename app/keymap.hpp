// Which keys belong to which command: the defaults, and what the person's keys.json changes about them.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/key_chord.hpp"
#include "app/texts.hpp"

namespace kino {

/// In the order of the help sheet and the palette.
enum class CommandId : std::uint8_t {
  zoom_in,
  zoom_out,
  pan_left,
  pan_right,
  page_up,
  page_down,
  scroll_to_top,
  scroll_to_bottom,
  fit_all,
  undo_view,
  redo_view,
  next_step,
  previous_step,
  fit_selection,
  previous_slice,
  next_slice,
  parent_slice,
  child_slice,
  clear_selection,
  toggle_drawer,
  follow_flow,
  follow_flow_back,
  toggle_flows,
  search,
  next_hit,
  previous_hit,
  only_matches,
  list_hits,
  list_fields,
  find_same_name,
  show_same_name,
  slice_menu,
  copy_selection,
  copy_name,
  copy_arguments,
  copy_stack,
  measure_from,
  show_tables,
  next_table,
  previous_table,
  next_table_scope,
  filter_columns,
  next_instance,
  previous_instance,
  range_all_tracks,
  range_gpu_tracks,
  range_cpu_tracks,
  mark_a,
  mark_b,
  keep_part,
  clear_parts,
  show_compare,
  filter_tracks,
  pin_track,
  hide_track,
  show_all_tracks,
  fold_track,
  merge_lanes,
  taller_track,
  lower_track,
  rename_track,
  move_track_up,
  move_track_down,
  pack_streams,
  show_counters,
  show_idle,
  all_tracks,
  gpu_tracks,
  communication_tracks,
  main_thread_tracks,
  set_bookmark,
  list_bookmarks,
  next_bookmark,
  previous_bookmark,
  bookmark_1,
  bookmark_2,
  bookmark_3,
  bookmark_4,
  bookmark_5,
  bookmark_6,
  bookmark_7,
  bookmark_8,
  bookmark_9,
  delete_bookmark,
  restore_bookmark,
  export_bookmarks,
  import_bookmarks,
  zoom_bytes_in,
  zoom_bytes_out,
  go_to_peak,
  go_to_oom,
  show_kernel,
  list_live,
  compare_moments,
  open_source,
  show_segments,
  find_event,
  next_event,
  previous_event,
  next_on_block,
  previous_on_block,
  show_flame,
  flame_zoom_in,
  flame_zoom_out,
  flame_up,
  flame_down,
  flame_left,
  flame_right,
  flame_find,
  flame_bottom_up,
  flame_libraries,
  flame_time,
  flame_copy,
  next_found,
  previous_found,
  show_categories,
  time_axis,
  only_hits,
  overlay_other,
  live_by_size,
  next_layout,
  layout_stacked,
  layout_stack,
  layout_stream,
  layout_pool,
  layout_segment,
  layout_lanes,
  layout_addresses,
  next_device,
  show_memory,
  open_files,
  recent_files,
  open_sample,
  reveal_in_folder,
  copy_path,
  save_png,
  save_svg,
  save_trimmed,
  copy_link,
  paste_link,
  reload,
  close_tab,
  next_tab,
  previous_tab,
  tab_1,
  tab_2,
  tab_3,
  tab_4,
  tab_5,
  tab_6,
  tab_7,
  tab_8,
  tab_9,
  cancel_loading,
  stop_loading,
  quit,
  split_view,
  second_pane,
  next_pane,
  close_pane,
  link_time,
  share_bytes,
  command_palette,
  toggle_theme,
  color_by_name,
  color_by_kind,
  color_by_stream,
  color_by_module,
  color_by_duration,
  next_color_mode,
  full_names,
  larger_interface,
  smaller_interface,
  usual_interface,
  language_system,
  language_english,
  language_japanese,
  language_chinese,
  units_decimal,
  units_binary,
  show_damage,
  toggle_debug,
  toggle_help,
};
inline constexpr std::size_t kCommandCount = static_cast<std::size_t>(CommandId::toggle_help) + 1;
inline constexpr std::size_t index_of(CommandId command) { return static_cast<std::size_t>(command); }

enum class CommandGroup : std::uint8_t { move, select, tracks, bookmarks, snapshot, files, window };

/// Where a command's keys count. Keys may mean different things where scopes never meet.
enum class CommandScope : std::uint8_t {
  always,    ///< even over a sheet
  window,    ///< whatever the page shows
  loading,   ///< while the active document loads
  timeline,  ///< while a timeline is shown
  snapshot,  ///< while an allocator snapshot is shown
  view,      ///< while either of them is
};
bool scopes_meet(CommandScope a, CommandScope b);

struct CommandInfo {
  CommandId id{};
  std::string_view name;          ///< in keys.json, "fit-all"
  Text title{};                   ///< for people, "Fit the whole trace"
  std::string_view default_keys;  ///< separated by spaces
  CommandGroup group{};
  CommandScope scope{};
  bool repeats = false;  ///< while the key is held
};

/// Every command, in the order of CommandId.
std::span<const CommandInfo, kCommandCount> all_commands();
const CommandInfo& info_of(CommandId command);
std::optional<CommandId> command_named(std::string_view name);

class Keymap {
 public:
  /// The defaults.
  Keymap();
  /// {"fit-all": "R", "next-tab": ["Ctrl+Tab", "L"], "quit": null}: what is named replaces the command's
  /// defaults, null leaves it without a key, and a key that is given takes itself away from the command that
  /// has it by default. What cannot be understood is left out and told by problems().
  static Keymap from_json(std::string_view text);

  std::span<const KeyChord> keys(CommandId command) const { return keys_[index_of(command)]; }
  /// "Ctrl+P, Ctrl+Shift+P"; empty without a key.
  std::string text(CommandId command) const;
  /// "Ctrl+P"; empty without a key.
  std::string first_key_text(CommandId command) const;
  /// One sentence each.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  friend Keymap read_keymap(const std::filesystem::path& path);
  std::array<std::vector<KeyChord>, kCommandCount> keys_;
  std::vector<std::string> problems_;
};

/// keys.json beside settings_path(); empty when that is.
std::filesystem::path keymap_path();
/// The defaults when there is no file; a file that cannot be read is one of the problems.
Keymap read_keymap(const std::filesystem::path& path);

}  // namespace kino
