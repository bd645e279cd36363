#include "app/pages/timeline/note_ranges.hpp"

#include <unordered_set>
#include <utility>

#include "app/pages/timeline/track_memory.hpp"
#include "app/ui/bookmarks/moment_link.hpp"
#include "app/ui/view/event_steps.hpp"

namespace kino {
namespace {

/// Returns the part of the trace that a range covers; nullopt if the trace contains nothing of it. Sets
/// `whole` to false if some of the range's tracks are missing.
std::optional<TracePart> part_from(const TimelineState& state, const NoteRange& range, bool& whole) {
  const Trace& trace = *state.trace;
  if (range.slice) {
    const SliceId slice = find_moment_slice(trace, *range.slice);
    if (slice == kNoSlice) return std::nullopt;
    return TracePart{range_of(trace, {slice, kNoInstant}), std::nullopt, slice};
  }
  const std::optional<TimeRange> times = trace_range(trace, range.range);
  if (!times) return std::nullopt;
  TracePart part{*times, std::nullopt, kNoSlice};
  if (!range.tracks) return part;
  std::vector<std::uint32_t> tracks = tracks_of_note(state, *range.tracks);
  if (tracks.empty()) return std::nullopt;  // an empty set would cover all tracks
  whole = tracks.size() >= range.tracks->size();
  part.tracks = TrackSet{std::move(tracks), state.packed};
  return part;
}

}  // namespace

std::vector<NoteRange> note_ranges(const TimelineState& state) {
  const Trace& trace = *state.trace;
  std::vector<NoteRange> ranges;
  for (const SavedRange& kept : state.kept.all()) {
    NoteRange range;
    range.letter = kept.letter;
    range.name = kept.name;
    range.compared = kept.compared;
    range.range = unix_range(trace, kept.part.range);
    if (kept.part.slice != kNoSlice) range.slice = moment_slice(trace, kept.part.slice);
    if (kept.part.tracks) range.tracks = note_tracks(state, kept.part.tracks->tracks);
    ranges.push_back(std::move(range));
  }
  return ranges;
}

std::size_t restore_note_ranges(TimelineState& state, const std::vector<NoteRange>& ranges) {
  if (ranges.empty()) return 0;
  SavedRanges made;
  std::size_t lost = 0;
  for (const NoteRange& range : ranges) {
    bool whole = true;
    std::optional<TracePart> part = part_from(state, range, whole);
    if (!part || !whole) ++lost;
    if (!part) continue;
    std::optional<char> letter;
    if (SavedRanges::is_letter(range.letter) && made.find(range.letter) == nullptr) {
      made.set(range.letter, std::move(*part), range.name);
      letter = range.letter;
    } else {
      letter = made.add(std::move(*part), range.name);
    }
    if (letter) made.compare(*letter, range.compared);
    if (!letter) ++lost;
  }
  state.kept.take(made.all());
  return lost;
}

std::optional<std::vector<std::string>> note_tracks(const TimelineState& state,
                                                    const std::optional<std::vector<std::uint32_t>>& tracks) {
  if (!tracks) return std::nullopt;
  const ShownRows rows = state.rows();
  std::vector<std::string> names;
  for (const std::uint32_t track : *tracks) {
    if (track < rows.track_count()) names.push_back(track_key(rows, track));
  }
  return names;
}

std::vector<std::uint32_t> tracks_of_note(const TimelineState& state, const std::vector<std::string>& names) {
  const ShownRows rows = state.rows();
  const std::unordered_set<std::string> wanted(names.begin(), names.end());
  std::vector<std::uint32_t> tracks;
  for (std::uint32_t i = 0; i < rows.track_count(); ++i) {
    if (wanted.contains(track_key(rows, i))) tracks.push_back(i);
  }
  return tracks;
}

}  // namespace kino
