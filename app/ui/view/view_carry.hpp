// Transfers the view from one trace of a file to another: a more complete one, or that of the changed file.
#pragma once

#include <cstdint>

#include "app/ui/view/event_pick.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/view/track_arrangement.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns the offset to add to a time of `from` for the same moment in `to`. The file's base time can be at
/// the end of its text. If only one of the two knows it, the file's own clock is used.
std::int64_t time_shift_ns(const Trace& from, const Trace& to);

/// Transfers the arrangement of processes and tracks to those of `to` with the same pid, kind and tid,
/// regardless of names. Others keep the arrangement in `now`. Packed streams have their defaults, and so has
/// a trace with more than Arrangement::kMostOpenTracks tracks. O(tracks log tracks).
Arrangement carried_arrangement(const Trace& from, const Arrangement& made, const Trace& to, Arrangement now);

/// The event at the same offset of the text, or with the same track, start, length and name; otherwise
/// an empty one. O(rows of the track * log slices).
EventRef same_event(const Trace& from, EventRef event, const Trace& to);

/// Transfers the view in absolute time, arrangement, scroll position, drawer, selection and marked range. A
/// view that showed everything does so again. `to` must not have been placed yet.
void carry_view(const TimelineState& from, TimelineState& to);

}  // namespace kino
