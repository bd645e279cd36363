// Helpers for a row and a time range: the slices that touch the range, their clipped times, and the edges of
// bins.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/trace/trace.hpp"

namespace kino {

/// Returns the part of [begin, end) inside `range`; its length is never negative.
inline TimeRange clipped(TimeRange range, std::int64_t begin_ns, std::int64_t end_ns) {
  const std::int64_t begin = std::max(range.begin_ns, begin_ns);
  return {begin, std::max(begin, std::min(range.end_ns, end_ns))};
}

/// Whether a slice overlaps the range. A slice without length must start in it.
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

/// Returns the first slice of `row` that starts at or after `time_ns`, or the row's end. O(log n).
inline std::uint32_t first_start_at(const Trace& trace, const Row& row, std::int64_t time_ns) {
  const auto starts = trace.slices.start_ns.sub(row.first_slice, row.slice_count);
  return row.first_slice +
         static_cast<std::uint32_t>(std::ranges::lower_bound(starts, time_ns) - starts.begin());
}

/// Returns the first slice in [first, last) of a row that starts at or after `time_ns`, or `last`. O(log
/// distance).
inline std::uint32_t next_start_at(const Trace& trace, std::uint32_t first, std::uint32_t last,
                                   std::int64_t time_ns) {
  const auto& starts = trace.slices.start_ns;
  std::uint64_t low = first;
  std::uint64_t step = 1;
  for (; low + step < last && starts[low + step] < time_ns; step *= 2) low += step;
  const auto* const end = starts.begin() + std::min<std::uint64_t>(last, low + step);
  return static_cast<std::uint32_t>(std::lower_bound(starts.begin() + low, end, time_ns) - starts.begin());
}

/// Returns the slices of a row that are in_range(). For a range of zero length, this is at most the slice
/// that spans it. O(log n).
inline SliceWindow row_window(const Trace& trace, const Row& row, TimeRange range) {
  std::uint32_t first = first_start_at(trace, row, range.begin_ns);
  const std::uint32_t last = std::max(first, first_start_at(trace, row, range.end_ns));
  // Slices of a row are disjoint, so among earlier slices only the last can extend into the range.
  if (first > row.first_slice &&
      in_range(range, trace.slices.start_ns[first - 1], trace.slices.duration_ns[first - 1])) {
    --first;
  }
  return {first, last};
}

/// Returns the clipped duration of a slice; 0 if it is outside the range.
inline std::int64_t clipped_ns(const Trace& trace, std::uint32_t slice, TimeRange range) {
  return clipped(range, trace.slices.start_ns[slice], trace.end_ns(SliceId{slice})).length_ns();
}

/// Returns the begin of bin `i` if `range` is split into `bins` equal bins; the end of `range` for i =
/// `bins`. Rounds down, and does not overflow for any range.
inline std::int64_t bin_edge_ns(TimeRange range, std::uint32_t bins, std::uint32_t i) {
  const auto length = static_cast<std::uint64_t>(range.end_ns) - static_cast<std::uint64_t>(range.begin_ns);
  const std::uint64_t whole = length / bins * i;
  const std::uint64_t rest = length % bins * i / bins;  // both factors are below 2^32
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(range.begin_ns) + whole + rest);
}

}  // namespace kino
