// Slices of a range by name and category, with counts, durations and the longest slice.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/duration_list.hpp"
#include "core/trace/row_window.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Calls `visit(slice)` for each slice of the track with a part in the range, row by row. Ends early after a
/// stop request. O(slices in the range).
template <class Visit>
void for_each_slice_of(const Trace& trace, const Track& track, TimeRange range, const std::stop_token& stop,
                       const Visit& visit) {
  constexpr std::uint32_t kStride = 4096;
  for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
    const SliceWindow part = row_window(trace, trace.rows[row], range);
    for (std::uint32_t i = part.first; i < part.last; ++i) {
      if (i % kStride == 0 && stop.stop_requested()) return;
      visit(SliceId{i});
    }
  }
}

/// Calls `visit(slice)` for each slice of the kind on any track: see for_each_slice_of().
template <class Visit>
void for_each_slice(const Trace& trace, TimeRange range, SliceKind kind, const std::stop_token& stop,
                    const Visit& visit) {
  for (const Track& track : trace.tracks) {
    for_each_slice_of(trace, track, range, stop, [&](SliceId slice) {
      if (trace.kind(slice) == kind) visit(slice);
    });
  }
}

/// Durations are clipped to the range.
struct NamedSlices {
  NameId name{};
  CategoryId category{};
  SliceKind kind{};
  DurationSpread spread;
  SliceId longest = kNoSlice;  ///< first of equals
};

/// One row per name and category of slices of this kind, most time first. O(slices in the range).
std::vector<NamedSlices> named_slices(const Trace& trace, TimeRange range, SliceKind kind,
                                      const std::stop_token& stop = {});

/// Slices of the row of `example`. O(slices in the range).
std::vector<SliceId> named_instances(const Trace& trace, TimeRange range, SliceId example,
                                     const std::stop_token& stop = {});

}  // namespace kino
