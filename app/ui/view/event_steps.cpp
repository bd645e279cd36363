#include "app/ui/view/event_steps.hpp"

#include <algorithm>

namespace kino {

EventRef neighbor_of(const Trace& trace, EventRef event, int step) {
  const auto moved = [step](std::int64_t from, std::int64_t first, std::int64_t count) {
    return static_cast<std::uint32_t>(std::clamp(from + step, first, first + count - 1));
  };
  if (event.slice != kNoSlice) {
    const Row& row = trace.row(trace.row_of(event.slice));
    event.slice = SliceId{moved(index_of(event.slice), row.first_slice, row.slice_count)};
  } else if (event.instant != kNoInstant) {
    const Track& track = trace.track(track_of(trace, event));
    event.instant = moved(event.instant, track.first_instant, track.instant_count);
  }
  return event;
}

SliceId parent_of(const Trace& trace, SliceId slice) {
  const SliceId parent = trace.parent(slice);
  return parent == kNoSlice ? slice : parent;
}

SliceId first_child_of(const Trace& trace, SliceId slice) {
  constexpr std::size_t kMostTried = 64;  // a lane may also contain slices with other parents
  const RowId own = trace.row_of(slice);
  const Track& track = trace.track(trace.row(own).track);
  const std::int64_t begin = trace.start_ns(slice);
  const std::int64_t end = trace.end_ns(slice);
  SliceId best = slice;
  for (std::uint32_t r = index_of(own) + 1; r < track.first_row + track.row_count; ++r) {
    const Row& row = trace.rows[r];
    const auto starts = trace.slices.start_ns.sub(row.first_slice, row.slice_count);
    auto at =
        static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), begin) - starts.begin());
    for (std::size_t tried = 0; tried < kMostTried && at < starts.size() && starts[at] <= end;
         ++tried, ++at) {
      const SliceId candidate{row.first_slice + static_cast<std::uint32_t>(at)};
      if (trace.parent(candidate) != slice) continue;
      if (best == slice || starts[at] < trace.start_ns(best)) best = candidate;
      break;
    }
    if (best != slice && r > index_of(own) + 1) break;
  }
  return best;
}

TimeRange range_of(const Trace& trace, EventRef event) {
  if (event.slice != kNoSlice) return trace.range_of(event.slice);
  if (event.instant == kNoInstant) return {};
  const std::int64_t time = trace.instants.time_ns[event.instant];
  return {time, time};
}

TrackId track_of(const Trace& trace, EventRef event) {
  if (event.slice != kNoSlice) return trace.track_of(event.slice);
  if (event.instant == kNoInstant) return kNoTrack;
  for (std::uint32_t t = 0; t < trace.tracks.size(); ++t) {
    const Track& track = trace.tracks[t];
    if (event.instant >= track.first_instant && event.instant - track.first_instant < track.instant_count)
      return TrackId{t};
  }
  return kNoTrack;
}

}  // namespace kino
