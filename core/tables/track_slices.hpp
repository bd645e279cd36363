// Loops over the slices of a track.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "core/base/parallel.hpp"
#include "core/trace/row_window.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns the rows of the track, outermost first.
inline std::span<const Row> rows_of(const Trace& trace, const Track& track) {
  return std::span(trace.rows).subspan(track.first_row, track.row_count);
}

/// Calls `visit(slice)` for each slice of the track, row by row. Returns early after a stop request.
template <class Visit>
void for_each_slice_of(const Trace& trace, const Track& track, const std::stop_token& stop,
                       const Visit& visit) {
  for (const Row& row : rows_of(trace, track)) {
    if (stop.stop_requested()) return;  // short rows may contain no multiple of the stride
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return;
      visit(SliceId{i});
    }
  }
}

/// Calls `visit(slice)` for each slice of the track that overlaps the range, row by row. Returns early after
/// a stop request. O(rows * log slices + slices in the range).
template <class Visit>
void for_each_slice_of(const Trace& trace, const Track& track, TimeRange range, const std::stop_token& stop,
                       const Visit& visit) {
  for (const Row& row : rows_of(trace, track)) {
    if (stop.stop_requested()) return;
    const SliceWindow part = row_window(trace, row, range);
    for (std::uint32_t i = part.first; i < part.last; ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return;
      visit(SliceId{i});
    }
  }
}

}  // namespace kino
