// Commands of a track or a group, from its menu and from the keyboard.
#pragma once

#include <optional>

#include "app/ui/view/timeline_state.hpp"

namespace kino {

struct TrackTarget {
  LayoutItem::Kind kind = LayoutItem::Kind::track;  ///< track or group
  std::uint32_t index = 0;                          ///< track or process
  bool operator==(const TrackTarget&) const = default;
};

/// Returns the track or group under the mouse, else the track of the selection; nullopt if there is neither.
std::optional<TrackTarget> target_of_keys(const TimelineState& state);

void set_height(TimelineState& state, std::uint32_t track, TrackHeight height);
void toggle_merged(TimelineState& state, std::uint32_t track);
void toggle_folded(TimelineState& state, TrackTarget target);
void hide(TimelineState& state, TrackTarget target);
/// Moves a track up (-1) or down (1) past the next shown track of its group, or a group past the next group.
/// Pinned tracks move among pinned tracks.
void move_by(TimelineState& state, TrackTarget target, int step);
/// Returns whether the process is a GPU with several streams.
bool can_pack(const TimelineState& state, std::uint32_t process);
void toggle_packed(TimelineState& state, std::uint32_t process);
void toggle_counters(TimelineState& state);
void toggle_annotation_rows(TimelineState& state);
void show_preset(TimelineState& state, TrackPreset preset);

void handle_track_keys(TimelineState& state);
/// The menu of a track or group: a popup that ImGui::OpenPopup(kTrackMenu) opens in the same window.
inline constexpr const char* kTrackMenu = "track";
void draw_track_menu(TimelineState& state, TrackTarget target);

}  // namespace kino
