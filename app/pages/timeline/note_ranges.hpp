// Converts the saved ranges of a timeline to those of a note, and back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/bookmarks/note.hpp"
#include "app/ui/view/timeline_state.hpp"

namespace kino {

/// Returns the saved ranges. Slices are identified by Unix time and thread, and tracks by track_key(), so
/// that the ranges also apply to other files with the same events, such as excerpts. O(tracks).
std::vector<NoteRange> note_ranges(const TimelineState& state);
/// Replaces the saved ranges by those of a note. Changes nothing if the note has none. Drops ranges outside
/// of the trace, unknown slices, and tracks that are not shown. Returns the number of ranges that were
/// dropped or changed. O(tracks).
std::size_t restore_note_ranges(TimelineState& state, const std::vector<NoteRange>& ranges);

/// Returns the track_key() of each track; nullopt if `tracks` is nullopt, which means all tracks.
std::optional<std::vector<std::string>> note_tracks(const TimelineState& state,
                                                    const std::optional<std::vector<std::uint32_t>>& tracks);
/// Returns the existing tracks with these keys, ascending. O(tracks).
std::vector<std::uint32_t> tracks_of_note(const TimelineState& state, const std::vector<std::string>& names);

}  // namespace kino
