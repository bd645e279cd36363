// The tracks of the marked range: dragged over, all of one side, or ticked by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/ui/view/timeline_state.hpp"
#include "core/trace/timeline/track_set.hpp"

namespace kino {

enum class RangeSide : std::uint8_t { all, gpu, cpu };
enum class Ticked : std::uint8_t { none, some, all };

/// Tracks of a side with slices that can be shown, from top to bottom, including folded and hidden ones. Packed
/// tracks replace their streams. O(tracks log tracks).
std::vector<std::uint32_t> summable_tracks(const TimelineState& state, RangeSide side = RangeSide::all);
/// The tracks of a layout item: its own, or those of its group. O(tracks of the group).
std::vector<std::uint32_t> tracks_of_item(const TimelineState& state, const LayoutItem& item);
/// The tracks of all items from one to another, ascending; `from` may be below `to`.
std::vector<std::uint32_t> covered_tracks(const TimelineState& state, const LayoutItem& from,
                                          const LayoutItem& to);

/// How many of these tracks the marked range includes; `none` for an empty list.
Ticked ticked(const TimelineState& state, std::span<const std::uint32_t> tracks);
/// Adds tracks to the marked range, or removes them. With all tracks, the range becomes one of all tracks
/// again.
void tick(TimelineState& state, std::span<const std::uint32_t> tracks, bool on);
/// Adds the tracks of a side, or removes them if all are included; RangeSide::all: includes all tracks.
void toggle_side(TimelineState& state, RangeSide side);

/// The tracks of the marked range; nullopt for all tracks.
std::optional<TrackSet> track_set(const TimelineState& state);

}  // namespace kino
