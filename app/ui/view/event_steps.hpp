// Targets of the keys that move the selection: neighbors in the row, parents and children.
#pragma once

#include "app/ui/view/event_pick.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns the next (+1) or previous (-1) event of the same row or instants lane. At the ends, returns the
/// event itself.
EventRef neighbor_of(const Trace& trace, EventRef event, int step);
/// Returns the enclosing slice, or the slice itself if there is none.
SliceId parent_of(const Trace& trace, SliceId slice);
/// Returns the first slice that this one encloses directly, or the slice itself if none is found. Examines at
/// most 64 slices of each lane. O(lanes log slices).
SliceId first_child_of(const Trace& trace, SliceId slice);
/// Returns the time range of an event; begin and end are equal for instants.
TimeRange range_of(const Trace& trace, EventRef event);
/// Returns the track of an event. O(log rows) for slices, O(tracks) for instants.
TrackId track_of(const Trace& trace, EventRef event);

}  // namespace kino
