// Carries what a person looks at from one trace of a file to another: to one that holds more of it, or to
// what the file has become.
#pragma once

#include <cstdint>

#include "app/ui/view/event_pick.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/view/track_arrangement.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// What has to be added to a time of `from` for the same moment in `to`. Where only one of the two knows the
/// file's base time (it can stand at the end of the text), the file's own clock counts.
std::int64_t time_shift_ns(const Trace& from, const Trace& to);

/// What a person has made of the processes and tracks of `from`, for those of `to` with the same pid, kind
/// and tid, whatever they are called by now; the others keep what `to` has for them. Packed streams are left
/// to their defaults, and so is all of a trace with more than Arrangement::kMostOpenTracks tracks.
/// O(tracks log tracks).
Arrangement carried_arrangement(const Trace& from, const Arrangement& made, const Trace& to, Arrangement now);

/// The event that stands at the same place of the text, or has the same track, start, length and name;
/// nothing when there is none. O(rows of the track * log slices).
EventRef same_event(const Trace& from, EventRef event, const Trace& to);

/// View in absolute time, arrangement of the tracks, scroll position, drawer, selection and marked range. A
/// view that showed all shows all again. `to` has not been placed yet.
void carry_view(const TimelineState& from, TimelineState& to);

}  // namespace kino
