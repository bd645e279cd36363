// The parts a person has kept to compare them, as a note holds them, and back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/bookmarks/note.hpp"
#include "app/ui/view/timeline_state.hpp"

namespace kino {

/// By names that hold in other recordings as well. O(tracks of the parts).
std::vector<NoteRange> note_ranges(const TimelineState& state);
/// Keeps those of a note in place of what was kept; without any, what was kept stays. Ranges outside of the
/// trace, slices it does not have and tracks that are not shown in it are left out. Returns how many of the
/// ranges are not there, or not as they were. O(tracks).
std::size_t keep_note_ranges(TimelineState& state, const std::vector<NoteRange>& ranges);

/// The names of tracks, and of all that the names stand for; nothing for all tracks.
std::optional<std::vector<std::string>> note_tracks(const TimelineState& state,
                                                    const std::optional<std::vector<std::uint32_t>>& tracks);
/// Those of them that are shown, ascending. O(tracks).
std::vector<std::uint32_t> tracks_of_note(const TimelineState& state, const std::vector<std::string>& names);

}  // namespace kino
