// The tracks of the marked range: those dragged over, all CPU or GPU tracks, or tracks ticked by hand.
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

/// Returns the tracks of a side (CPU, GPU or all) that have slices, from top to bottom, including folded and
/// hidden tracks. Packed tracks replace their streams. O(tracks log tracks).
std::vector<std::uint32_t> summable_tracks(const TimelineState& state, RangeSide side = RangeSide::all);
/// Returns the tracks with slices of a layout item: the track itself with the annotations above it, all
/// tracks of a group, or the idle tracks of a group. O(tracks of the group).
std::vector<std::uint32_t> tracks_of_item(const TimelineState& state, const LayoutItem& item);
/// Returns the tracks of the items from `from` to `to`, ascending; `from` may be below `to`. Both must be
/// items of the layout. If only one of them is pinned, excludes items that are scrolled out of view.
std::vector<std::uint32_t> covered_tracks(const TimelineState& state, const LayoutItem& from,
                                          const LayoutItem& to);

/// Returns whether the marked range includes all, some or none of these tracks; `none` for an empty list.
Ticked ticked(const TimelineState& state, std::span<const std::uint32_t> tracks);
/// Adds tracks to the marked range, or removes them. If this includes all tracks, the range is no longer
/// restricted to tracks.
void tick(TimelineState& state, std::span<const std::uint32_t> tracks, bool on);
/// Adds the tracks of a side or, if all are included, removes them. RangeSide::all: includes all tracks.
void toggle_side(TimelineState& state, RangeSide side);

/// Returns the tracks of the marked range; nullopt for all tracks.
std::optional<TrackSet> track_set(const TimelineState& state);

}  // namespace kino
