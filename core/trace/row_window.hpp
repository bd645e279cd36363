// Small tools over a row and a time range: the slices that touch it, their part of it, the edges of bins.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/trace/trace.hpp"

namespace kino {

/// The part of [start, end) that lies in `range`; never negative.
inline TimeRange clipped(TimeRange range, std::int64_t begin_ns, std::int64_t end_ns) {
  const std::int64_t begin = std::max(range.begin_ns, begin_ns);
  return {begin, std::max(begin, std::min(range.end_ns, end_ns))};
}

/// A slice has a part in the range: one of no length, when it starts in it.
inline bool in_range(TimeRange range, std::int64_t start_ns, std::int64_t duration_ns) {
  if (duration_ns == 0) return start_ns >= range.begin_ns && start_ns < range.end_ns;
  return start_ns < range.end_ns && start_ns + duration_ns > range.begin_ns;
}

/// Indices into the slice columns, [first, last).
struct SliceWindow {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t size() const { return last - first; }
};

/// The first slice of `row` that starts at or after `time_ns`; the row's end when there is none. O(log n).
inline std::uint32_t first_start_at(const Trace& trace, const Row& row, std::int64_t time_ns) {
  const auto starts = trace.slices.start_ns.sub(row.first_slice, row.slice_count);
  const auto it = std::lower_bound(starts.begin(), starts.end(), time_ns);
  return row.first_slice + static_cast<std::uint32_t>(it - starts.begin());
}

/// The slices of a row of which in_range() holds. In a range without length that is at most the one that goes
/// on over its place. O(log n).
inline SliceWindow row_window(const Trace& trace, const Row& row, TimeRange range) {
  std::uint32_t first = first_start_at(trace, row, range.begin_ns);
  const std::uint32_t last = std::max(first, first_start_at(trace, row, range.end_ns));
  // Rows are disjoint: of the slices that start earlier only the last can reach into the range.
  if (first > row.first_slice &&
      in_range(range, trace.slices.start_ns[first - 1], trace.slices.duration_ns[first - 1])) {
    --first;
  }
  return {first, last};
}

/// The part of a slice inside `range`, in ns; 0 when there is none.
inline std::int64_t clipped_ns(const Trace& trace, std::uint32_t slice, TimeRange range) {
  return clipped(range, trace.slices.start_ns[slice], trace.end_ns(SliceId{slice})).length_ns();
}

/// Edge `i` of `bins` equal bins of `range`, rounded down, without overflow for any range.
inline std::int64_t bin_edge_ns(TimeRange range, std::uint32_t bins, std::uint32_t i) {
  const auto length = static_cast<std::uint64_t>(range.end_ns) - static_cast<std::uint64_t>(range.begin_ns);
  const std::uint64_t whole = length / bins * i;
  const std::uint64_t rest = length % bins * i / bins;  // both factors are below 2^32
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(range.begin_ns) + whole + rest);
}

}  // namespace kino
