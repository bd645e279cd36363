#include "app/pages/timeline/pointing/slice_distances.hpp"

#include <algorithm>

#include "app/ui/view/event_steps.hpp"

namespace kino {
namespace {

TimeRange ordered_range(std::int64_t a_ns, std::int64_t b_ns) {
  return {std::min(a_ns, b_ns), std::max(a_ns, b_ns)};
}

}  // namespace

MeasuredPlace measured_place(const Trace& trace, EventRef event, std::optional<std::int64_t> edge_ns,
                             std::int64_t pixel_ns) {
  if (event.any()) return {range_of(trace, event), event.slice, false};
  const std::int64_t time_ns = edge_ns.value_or(pixel_ns);
  return {{time_ns, time_ns}, kNoSlice, !edge_ns.has_value()};
}

SliceDistances distances_between(TimeRange a, TimeRange b) {
  SliceDistances distances;
  distances.starts = ordered_range(a.begin_ns, b.begin_ns);
  distances.ends = ordered_range(a.end_ns, b.end_ns);
  // The later start and the earlier end bound the gap, or the overlap if they are in the other order.
  distances.overlap = distances.starts.end_ns < distances.ends.begin_ns;
  distances.gap = ordered_range(distances.starts.end_ns, distances.ends.begin_ns);
  return distances;
}

}  // namespace kino
