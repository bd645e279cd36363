// Small tools over a row and a time range: the slices that touch it, their part of it, the edges of bins.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/trace.hpp"

namespace kino {

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

/// Slices that have a part in `range`; those of zero length when they lie in [begin, end). Empty for a range
/// without length. O(log n).
inline SliceWindow row_window(const Trace& trace, const Row& row, TimeRange range) {
  if (range.length_ns() <= 0) return {row.first_slice, row.first_slice};
  SliceWindow window{first_start_at(trace, row, range.begin_ns), first_start_at(trace, row, range.end_ns)};
  // Rows are disjoint: of the slices that start earlier only the last can reach into the range.
  if (window.first > row.first_slice && trace.end_ns(SliceId{window.first - 1}) > range.begin_ns)
    --window.first;
  return window;
}

/// The part of a slice inside `range`, in ns; 0 when there is none.
inline std::int64_t clipped_ns(const Trace& trace, std::uint32_t slice, TimeRange range) {
  const std::int64_t start = trace.slices.start_ns[slice];
  const std::int64_t end = start + trace.slices.duration_ns[slice];
  return std::max<std::int64_t>(0, std::min(end, range.end_ns) - std::max(start, range.begin_ns));
}

/// Edge `i` of `bins` equal bins of `range`, rounded down, without overflow for any range.
inline std::int64_t bin_edge_ns(TimeRange range, std::uint32_t bins, std::uint32_t i) {
  const auto length = static_cast<std::uint64_t>(range.end_ns) - static_cast<std::uint64_t>(range.begin_ns);
  const std::uint64_t whole = length / bins * i;
  const std::uint64_t rest = length % bins * i / bins;  // both factors are below 2^32
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(range.begin_ns) + whole + rest);
}

}  // namespace kino
