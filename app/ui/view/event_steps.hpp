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
/// Returns the first slice that this one encloses directly, or the slice itself if there is none. O(lanes log
/// slices).
SliceId first_child_of(const Trace& trace, SliceId slice);
/// Time range of an event; empty for instants.
TimeRange range_of(const Trace& trace, EventRef event);
/// The track of an event. O(log rows) for slices, O(tracks) for instants.
TrackId track_of(const Trace& trace, EventRef event);

}  // namespace kino
