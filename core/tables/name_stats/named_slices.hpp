// Statistics of the slices in a range by name and category: counts, durations and the longest slice.
#pragma once

#include <stop_token>
#include <vector>

#include "core/base/duration_list.hpp"
#include "core/tables/track_slices.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Calls `visit(slice)` for each slice of the kind that overlaps the range, track by track.
template <class Visit>
void for_each_slice(const Trace& trace, TimeRange range, SliceKind kind, const std::stop_token& stop,
                    const Visit& visit) {
  for (const Track& track : trace.tracks) {
    for_each_slice_of(trace, track, range, stop, [&](SliceId slice) {
      if (trace.kind(slice) == kind) visit(slice);
    });
  }
}

/// Slices of one name, category and kind. Durations are clipped to the range.
struct NamedSlices {
  NameId name{};
  CategoryId category{};
  SliceKind kind{};
  DurationStats spread;
  SliceId longest = kNoSlice;  ///< longest slice; the first if several are equal
};

/// Returns one row per name and category of slices of this kind, most time first. O(slices in the range).
std::vector<NamedSlices> named_slices(const Trace& trace, TimeRange range, SliceKind kind,
                                      const std::stop_token& stop = {});

/// Returns the slices in the row that contains `example`. O(slices in the range).
std::vector<SliceId> named_instances(const Trace& trace, TimeRange range, SliceId example,
                                     const std::stop_token& stop = {});

}  // namespace kino
