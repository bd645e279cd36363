// Finds the event at a pixel of a lane by binary search in the columns, independent of drawing.
#pragma once

#include <cstdint>

#include "core/trace/event_ref.hpp"
#include "core/trace/timeline/lod_tile.hpp"
#include "core/trace/timeline/stream_packing.hpp"
#include "render/time_view.hpp"

namespace kino {

/// Range [first, last) of a row's slices.
struct SliceRun {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
/// Returns the row's slices that overlap [begin_ns, end_ns]. O(log slices).
SliceRun overlapping(const SliceRow& row, double begin_ns, double end_ns);

/// The event at a pixel. If several (`count`) events share the pixel, `event` is the longest slice or the
/// nearest instant.
struct EventPick {
  EventRef event;
  std::uint32_t count = 0;
};

/// Picks a slice of a lane: the one at `px` if it is at least a pixel wide, else the longest of those that
/// share the pixel. If the pixel is empty, picks the nearest slice within `tolerance_px`. O(log slices of the
/// row).
EventPick pick_slice(const ShownRows& rows, RowId row, const TimeView& view, double px, double tolerance_px);
/// Picks the nearest instant of a track within `tolerance_px`; `count` is the number of instants within this
/// distance. O(log instants).
EventPick pick_instant(const Trace& trace, TrackId track, const TimeView& view, double px,
                       double tolerance_px);

struct CounterReading {
  bool valid = false;    ///< false before the first sample
  bool mean = false;     ///< whether all three values are the mean over the pixel
  double value = 0;      ///< last value at or before the pixel's end
  double min_value = 0;  ///< smallest value within the pixel
  double max_value = 0;
  std::int64_t since_ns = 0;  ///< time of the sample with `value`
};

/// Returns the values of a counter at a pixel. If a pixel contains several thousand samples, minimum and
/// maximum are those of the last few thousand. O(log samples + samples in the pixel, at most a few thousand).
CounterReading read_counter(const CounterRow& row, const TimeView& view, double px);

}  // namespace kino
