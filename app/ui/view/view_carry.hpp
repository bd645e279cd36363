// Transfers the view from one trace of a file to another one: the trace of a larger part, or of the changed
// file.
#pragma once

#include <cstdint>

#include "app/ui/view/event_pick.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/view/track_arrangement.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns the offset to add to a time of `from` to get the same moment in `to`. The base time of a file can
/// be at its end, so a partly loaded trace may lack it. In that case, compares times of the file's own clock.
std::int64_t time_shift_ns(const Trace& from, const Trace& to);

/// Transfers the arrangement of processes and tracks to those of `to` with the same pid, kind and tid,
/// regardless of names. Others keep their arrangement in `now`. Packed streams, and traces with more than
/// Arrangement::kMostOpenTracks tracks, keep the defaults. O(tracks log tracks).
Arrangement carried_arrangement(const Trace& from, const Arrangement& made, const Trace& to, Arrangement now);

/// Returns the event of `to` at the same offset of the text, or with the same track, start, length and name;
/// otherwise an empty reference. O(rows of the track * log slices).
EventRef same_event(const Trace& from, EventRef event, const Trace& to);

/// Transfers the view in absolute time, arrangement, scroll position, drawer, selection and marked range. A
/// view that showed the whole trace shows the whole trace again. `to` must not have been placed yet.
void carry_view(const TimelineState& from, TimelineState& to);

}  // namespace kino
