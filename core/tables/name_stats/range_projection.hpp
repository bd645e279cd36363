// NVTX ranges, and their projection onto GPUs: the time of the work launched in each range.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/tables/track_slices.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct MarkedRange {
  SliceId slice = kNoSlice;
  TrackId track{};
  std::string_view text;   ///< "domain:text", escaped as in JSON
  std::string_view style;  ///< "PushPop" or "StartEnd"
};

/// Calls visit(range) for the NVTX ranges that overlap `range`, row by row. O(slices in the range).
template <class Visit>
void for_each_marked_range(const Trace& trace, TimeRange range, const std::stop_token& stop, Visit&& visit) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::cpu_thread) continue;
    const TrackId id{static_cast<std::uint32_t>(&track - trace.tracks.data())};
    for_each_slice_of(trace, track, range, stop, [&](SliceId slice) {
      const EventFacts& own = facts[facts_index(trace, slice)];
      if (!own.push_pop_range.empty()) visit(MarkedRange{slice, id, own.push_pop_range, "PushPop"});
      if (!own.start_end_range.empty()) visit(MarkedRange{slice, id, own.start_end_range, "StartEnd"});
    });
  }
}

struct ProjectedRange {
  MarkedRange range;
  TimeRange gpu;                ///< interval from the first start to the last end of the work
  std::int64_t operations = 0;  ///< number of pieces of GPU work
};

/// Returns the NVTX ranges that overlap `range` and in which calls of the range's thread launched work.
/// O(slices + calls in ranges), plus a sort of the calls.
std::vector<ProjectedRange> projected_ranges(const Trace& trace, TimeRange range,
                                             const std::stop_token& stop);

}  // namespace kino
