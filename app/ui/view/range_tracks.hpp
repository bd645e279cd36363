// Which tracks the marked range sums up: those it was dragged over, all of a side, or what is ticked by hand.
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

/// The tracks with slices that can be shown now, from top to bottom, folded and hidden ones included; packed
/// ones in place of their streams. O(tracks log tracks).
std::vector<std::uint32_t> summable_tracks(const TimelineState& state);
/// Those of a side.
std::vector<std::uint32_t> summable_tracks(const TimelineState& state, RangeSide side);
/// Those that a line of the layout stands for: its own, or those of its group. O(tracks of the group).
std::vector<std::uint32_t> tracks_of_item(const TimelineState& state, const LayoutItem& item);
/// Those that the lines from one to another stand for, ascending; `from` may be below `to`.
std::vector<std::uint32_t> covered_tracks(const TimelineState& state, const LayoutItem& from,
                                          const LayoutItem& to);

/// How many of the tracks the marked range sums up. `none` of no tracks.
Ticked ticked(const TimelineState& state, std::span<const std::uint32_t> tracks);
/// Adds the tracks to those of the marked range, or takes them away. With all of them it is a range of all
/// tracks again.
void tick(TimelineState& state, std::span<const std::uint32_t> tracks, bool on);
/// Adds the tracks of a side unless all of them are there, else takes them away; RangeSide::all: all tracks.
void toggle_side(TimelineState& state, RangeSide side);

/// What is to be summed up; nothing for all tracks.
std::optional<TrackSet> track_set(const TimelineState& state);

}  // namespace kino
