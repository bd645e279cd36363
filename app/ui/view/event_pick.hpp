// Finds what lies under a pixel of a lane by binary search in the columns, never from what was drawn.
#pragma once

#include <cstdint>

#include "core/trace/event_ref.hpp"
#include "core/trace/timeline/stream_packing.hpp"
#include "render/time_view.hpp"

namespace kino {

/// What a pixel shows: one event, or the longest (slices) or first (instants) of `count` that share the
/// pixel.
struct EventPick {
  EventRef event;
  std::uint32_t count = 0;
};

/// What lies under `px` of a lane: the slice there if it is at least a pixel wide, else the slices that share
/// the pixel, else the nearest slice within `tolerance_px`. O(log slices of the row).
EventPick pick_slice(const ShownRows& rows, RowId row, const TimeView& view, double px, double tolerance_px);
/// The instants of a track within `tolerance_px`; the nearest is the event. O(log instants + hits).
EventPick pick_instant(const Trace& trace, TrackId track, const TimeView& view, double px,
                       double tolerance_px);

/// A counter's value under a pixel.
struct CounterReading {
  bool valid = false;    ///< false before the first sample
  bool mean = false;     ///< `value` is the mean over the pixel, the others are, too
  double value = 0;      ///< the last one at or before the pixel's end
  double min_value = 0;  ///< over the pixel
  double max_value = 0;
  std::int64_t since_ns = 0;  ///< time of the sample that set `value`
};

/// O(log samples + samples in the pixel, at most a few thousand).
CounterReading read_counter(const CounterRow& row, const TimeView& view, double px);

}  // namespace kino
