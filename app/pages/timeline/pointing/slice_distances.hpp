// Distances in time between two slices, or between a slice and a place on the tracks.
#pragma once

#include <cstdint>
#include <optional>

#include "core/trace/event_ref.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// The end of a measurement: an event, the edge of a slice, or any time.
struct MeasuredPlace {
  TimeRange range;  ///< without length, unless the place is a slice
  SliceId slice = kNoSlice;
  bool free = false;  ///< whether the place is neither an event nor an edge
  bool operator==(const MeasuredPlace&) const = default;
};

/// Returns the place of a click: the event under the mouse, else the edge near it, else the time of its
/// pixel.
MeasuredPlace measured_place(const Trace& trace, EventRef event, std::optional<std::int64_t> edge_ns,
                             std::int64_t pixel_ns);

struct SliceDistances {
  TimeRange gap;         ///< between the end of the first and the start of the second
  bool overlap = false;  ///< whether both are active at the same time; `gap` is then this time
  TimeRange starts;      ///< from the earlier to the later start
  TimeRange ends;        ///< from the earlier to the later end
};
/// Returns the distances. The order of the arguments has no effect.
SliceDistances distances_between(TimeRange a, TimeRange b);

}  // namespace kino
