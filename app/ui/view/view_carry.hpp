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
/// regardless of names. Others, including packed tracks, keep their arrangement in `now`. If a trace has more
/// than Arrangement::kMostOpenTracks tracks, returns `now`. O(tracks log tracks).
Arrangement carried_arrangement(const Trace& from, const Arrangement& made, const Trace& to, Arrangement now);

/// Returns the event of `to` with the same track, start and name. If there are several, returns the one at
/// the same offset of the text. A slice without this offset must have the same length. If there is none,
/// returns an empty reference. O(rows of the track * log slices).
EventRef same_event(const Trace& from, EventRef event, const Trace& to);

/// Transfers the view in absolute time, arrangement, scroll position, drawer, selection, marked range and
/// saved ranges. A view that showed the whole trace shows the whole trace again. `to` must not have been
/// placed yet.
void carry_view(const TimelineState& from, TimelineState& to);

}  // namespace kino
