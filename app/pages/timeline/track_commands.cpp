#include "app/pages/timeline/track_commands.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <imgui.h>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/view/event_steps.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

bool has_lanes(const TimelineState& state, std::uint32_t track) {
  return state.rows().track_at(track).row_count > 1;
}

bool menu_item(const std::string& text, CommandId command, bool checked = false, bool enabled = true) {
  return ImGui::MenuItem(text.c_str(), key_text(command).c_str(), checked, enabled);
}
bool menu_item(Text text, CommandId command, bool checked = false, bool enabled = true) {
  return menu_item(tr(text), command, checked, enabled);
}

void draw_fold_menu(TimelineState& state, std::uint32_t track) {
  TrackFold& fold = state.arrangement.tracks[track].fold;
  const auto choice = [&](Text text, TrackFold wanted, bool chosen) {
    if (!ImGui::MenuItem(tr(text), nullptr, chosen)) return;
    fold = wanted;
    state.layout_stale = true;
  };
  if (!ImGui::BeginMenu(with_id(Text::track_lanes, "lanes").c_str(), has_lanes(state, track))) return;
  choice(Text::track_all_lanes, TrackFold::capped, fold == TrackFold::capped || fold == TrackFold::open);
  choice(Text::track_first_lane, TrackFold::folded, fold == TrackFold::folded);
  choice(Text::track_merged, TrackFold::merged, fold == TrackFold::merged);
  ImGui::EndMenu();
}

void draw_height_menu(TimelineState& state, std::uint32_t track) {
  const TrackHeight height = state.arrangement.tracks[track].height;
  if (!ImGui::BeginMenu(with_id(Text::track_height, "height").c_str())) return;
  constexpr std::array kHeights = {std::pair{Text::track_compact, TrackHeight::compact},
                                   std::pair{Text::track_normal, TrackHeight::normal},
                                   std::pair{Text::track_expanded, TrackHeight::expanded}};
  for (const auto& [text, wanted] : kHeights) {
    if (ImGui::MenuItem(tr(text), nullptr, height == wanted)) set_height(state, track, wanted);
  }
  ImGui::EndMenu();
}

void draw_common(TimelineState& state, TrackTarget target, std::uint32_t process) {
  if (menu_item(Text::track_move_up, CommandId::move_track_up)) move_by(state, target, -1);
  if (menu_item(Text::track_move_down, CommandId::move_track_down)) move_by(state, target, 1);
  ImGui::Separator();
  if (can_pack(state, process) &&
      menu_item(device_text(Text::track_pack, *state.trace), CommandId::pack_streams,
                state.arrangement.packed[process] != 0)) {
    toggle_packed(state, process);
  }
  if (menu_item(device_text(Text::command_show_counters, *state.trace), CommandId::show_counters,
                state.arrangement.counters))
    toggle_counters(state);
  if (state.annotations != nullptr && !state.annotations->streams.empty() &&
      state.trace->processes[process].gpu &&
      menu_item(Text::command_annotation_rows, CommandId::annotation_rows,
                state.arrangement.annotation_rows)) {
    toggle_annotation_rows(state);
  }
  if (menu_item(Text::track_show_all, CommandId::show_all_tracks)) {
    state.arrangement.show_all();
    state.layout_stale = true;
  }
}

void draw_track_items(TimelineState& state, std::uint32_t track) {
  const TrackTarget target{LayoutItem::Kind::track, track};
  const bool pinned = state.arrangement.is_pinned(track);
  if (menu_item(pinned ? Text::track_unpin : Text::track_pin, CommandId::pin_track)) {
    state.arrangement.toggle_pinned(track);
    state.layout_stale = true;
  }
  if (menu_item(Text::track_hide, CommandId::hide_track)) hide(state, target);
  if (menu_item(Text::track_rename, CommandId::rename_track)) state.renamed_track = track;
  draw_fold_menu(state, track);
  draw_height_menu(state, track);
  draw_common(state, target, state.rows().track_at(track).process);
}

void draw_group_items(TimelineState& state, std::uint32_t process) {
  const TrackTarget target{LayoutItem::Kind::group, process};
  const bool open = state.arrangement.group_open[process] != 0;
  if (menu_item(open ? Text::track_fold : Text::track_unfold, CommandId::fold_track))
    toggle_folded(state, target);
  if (menu_item(Text::track_hide, CommandId::hide_track)) hide(state, target);
  const auto fold_tracks = [&](Text text, TrackFold fold) {
    if (!ImGui::MenuItem(tr(text))) return;
    for (std::uint32_t track = 0; track < state.rows().track_count(); ++track) {
      if (state.rows().track_at(track).process == process) state.arrangement.tracks[track].fold = fold;
    }
    state.layout_stale = true;
  };
  fold_tracks(Text::track_fold_tracks, TrackFold::folded);
  fold_tracks(Text::track_unfold_tracks, TrackFold::capped);
  draw_common(state, target, process);
}

}  // namespace

std::optional<TrackTarget> target_of_keys(const TimelineState& state) {
  const LayoutItem* item = state.hovered_header;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (item == nullptr && state.boxes.tracks.contains(mouse.x, mouse.y))
    item = state.layout.hit(mouse.y - state.boxes.tracks.top, state.shown_scroll()).item;
  if (item != nullptr && item->kind != LayoutItem::Kind::idle) return TrackTarget{item->kind, item->index};
  if (state.selection.slice != kNoSlice) {
    const RowId row = state.layout.row_of(state.selection.slice);
    return TrackTarget{LayoutItem::Kind::track, index_of(state.rows().row_at(row).track)};
  }
  if (state.selection.any())
    return TrackTarget{LayoutItem::Kind::track, index_of(track_of(*state.trace, state.selection))};
  return std::nullopt;
}

void set_height(TimelineState& state, std::uint32_t track, TrackHeight height) {
  state.arrangement.tracks[track].height = height;
  state.layout_stale = true;
}

void toggle_merged(TimelineState& state, std::uint32_t track) {
  if (!has_lanes(state, track)) return;
  TrackFold& fold = state.arrangement.tracks[track].fold;
  fold = fold == TrackFold::merged ? TrackFold::capped : TrackFold::merged;
  state.layout_stale = true;
}

void toggle_folded(TimelineState& state, TrackTarget target) {
  Arrangement& arrangement = state.arrangement;
  if (target.kind == LayoutItem::Kind::group) {
    arrangement.group_open[target.index] = arrangement.group_open[target.index] == 0 ? 1 : 0;
  } else if (has_lanes(state, target.index)) {
    TrackFold& fold = arrangement.tracks[target.index].fold;
    fold = fold == TrackFold::folded ? TrackFold::capped : TrackFold::folded;
  }
  state.layout_stale = true;
}

void hide(TimelineState& state, TrackTarget target) {
  const ShownRows rows = state.rows();
  for (std::uint32_t track = 0; track < rows.track_count(); ++track) {
    const bool meant = target.kind == LayoutItem::Kind::track ? track == target.index
                                                              : rows.track_at(track).process == target.index;
    if (meant) state.arrangement.set_hidden(track, true);
  }
  // Opens the bar, which reports that tracks are hidden.
  state.track_bar_open = true;
  state.layout_stale = true;
}

void move_by(TimelineState& state, TrackTarget target, int step) {
  const auto& items = state.layout.items();
  const auto at = std::ranges::find_if(
      items, [&](const LayoutItem& item) { return item.kind == target.kind && item.index == target.index; });
  if (at == items.end()) return;
  const auto beside = [&](std::ptrdiff_t from, int direction) -> const LayoutItem* {
    for (std::ptrdiff_t i = from + direction; i >= 0 && i < std::ssize(items); i += direction) {
      const LayoutItem& item = items[static_cast<std::size_t>(i)];
      if (item.kind == target.kind && item.pinned == at->pinned) return &item;
      if (target.kind == LayoutItem::Kind::track && item.kind == LayoutItem::Kind::group) return nullptr;
    }
    return nullptr;
  };
  const std::ptrdiff_t place = at - items.begin();
  const LayoutItem* next = beside(place, step);
  if (next == nullptr) return;
  if (step > 0) next = beside(next - items.data(), 1);
  const std::uint32_t before = next == nullptr ? Arrangement::kLast : next->index;
  if (target.kind == LayoutItem::Kind::track) {
    state.arrangement.move_track(target.index, before, state.rows());
  } else {
    state.arrangement.move_group(target.index, before);
  }
  state.layout_stale = true;
}

bool can_pack(const TimelineState& state, std::uint32_t process) {
  return state.trace->processes[process].gpu && stream_count(*state.trace, process) > 1;
}

void toggle_packed(TimelineState& state, std::uint32_t process) {
  std::uint8_t& packed = state.arrangement.packed[process];
  packed = packed == 0 ? 1 : 0;
  state.layout_stale = true;
}

void toggle_counters(TimelineState& state) {
  state.arrangement.counters = !state.arrangement.counters;
  state.layout_stale = true;
}

void toggle_annotation_rows(TimelineState& state) {
  state.arrangement.annotation_rows = !state.arrangement.annotation_rows;
  state.layout_stale = true;
}

void show_preset(TimelineState& state, TrackPreset preset) {
  state.arrangement.apply(preset, state.rows());
  if (preset != TrackPreset::all) state.track_bar_open = true;
  state.layout_stale = true;
}

void handle_track_keys(TimelineState& state) {
  using Id = CommandId;
  constexpr std::array kPresets = {std::pair{Id::all_tracks, TrackPreset::all},
                                   std::pair{Id::gpu_tracks, TrackPreset::gpu_only},
                                   std::pair{Id::communication_tracks, TrackPreset::communication},
                                   std::pair{Id::main_thread_tracks, TrackPreset::main_thread}};
  for (const auto& [command, preset] : kPresets) {
    if (command_pressed(command)) show_preset(state, preset);
  }
  if (command_pressed(Id::show_all_tracks)) {
    state.arrangement.show_all();
    state.layout_stale = true;
  }
  if (command_pressed(Id::pack_streams)) {
    for (std::uint32_t process = 0; process < state.trace->processes.size(); ++process) {
      if (can_pack(state, process)) toggle_packed(state, process);
    }
  }
  if (command_pressed(Id::show_counters)) toggle_counters(state);
  if (command_pressed(Id::show_idle)) state.idle_band = !state.idle_band;
  if (command_pressed(Id::annotation_rows)) toggle_annotation_rows(state);
  if (command_pressed(Id::fold_layers)) {
    state.arrangement.layers_folded = !state.arrangement.layers_folded;
    state.layout_stale = true;  // saves the arrangement
  }
  const std::optional<TrackTarget> target = target_of_keys(state);
  if (!target) return;
  if (command_pressed(Id::fold_track)) toggle_folded(state, *target);
  if (command_pressed(Id::hide_track)) hide(state, *target);
  if (command_pressed(Id::move_track_up)) move_by(state, *target, -1);
  if (command_pressed(Id::move_track_down)) move_by(state, *target, 1);
  if (target->kind != LayoutItem::Kind::track) return;
  const std::uint32_t track = target->index;
  if (command_pressed(Id::pin_track)) {
    state.arrangement.toggle_pinned(track);
    state.layout_stale = true;
  }
  if (command_pressed(Id::merge_lanes)) toggle_merged(state, track);
  if (command_pressed(Id::rename_track)) state.renamed_track = track;
  const auto height = static_cast<int>(state.arrangement.tracks[track].height);
  if (command_pressed(Id::taller_track))
    set_height(state, track, static_cast<TrackHeight>(std::min(height + 1, 2)));
  if (command_pressed(Id::lower_track))
    set_height(state, track, static_cast<TrackHeight>(std::max(height - 1, 0)));
}

void draw_track_menu(TimelineState& state, TrackTarget target) {
  if (!ImGui::BeginPopup(kTrackMenu) || popup_closed_by_escape()) return;
  if (target.kind == LayoutItem::Kind::track) {
    draw_track_items(state, target.index);
  } else {
    draw_group_items(state, target.index);
  }
  ImGui::EndPopup();
}

}  // namespace kino
