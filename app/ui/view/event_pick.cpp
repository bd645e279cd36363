#include "app/ui/view/event_pick.hpp"

#include <algorithm>
#include <cmath>

namespace kino {

SliceRun overlapping(const SliceRow& row, double begin_ns, double end_ns) {
  const auto starts = row.start_ns;
  const auto count = static_cast<std::uint32_t>(starts.size());
  SliceRun run{0, count};
  // The slices of a row do not overlap, so their ends ascend like their starts.
  for (std::uint32_t below = count; run.first < below;) {
    const std::uint32_t middle = run.first + (below - run.first) / 2;
    if (static_cast<double>(starts[middle] + row.duration_ns[middle]) < begin_ns) {
      run.first = middle + 1;
    } else {
      below = middle;
    }
  }
  run.last = static_cast<std::uint32_t>(
      std::partition_point(starts.begin() + run.first, starts.end(),
                           [&](std::int64_t start) { return static_cast<double>(start) <= end_ns; }) -
      starts.begin());
  return run;
}

EventPick pick_slice(const ShownRows& rows, RowId row_id, const TimeView& view, double px,
                     double tolerance_px) {
  const SliceRow row = rows.slices_of(row_id);
  if (row.start_ns.empty()) return {};
  const auto starts = row.start_ns;
  const auto durations = row.duration_ns;
  const auto id = [&](std::uint32_t i) { return rows.original(row_id, SliceId{row.first_slice + i}); };
  const double time = view.ns_from_px(px);

  const SliceRun here = overlapping(row, time, time);
  for (std::uint32_t i = here.first; i < here.last; ++i) {
    if (static_cast<double>(durations[i]) >= view.ns_per_px) return {{id(i), kNoInstant}, 1};
  }
  const SliceRun pixel = overlapping(row, view.ns_from_px(px - 0.5), view.ns_from_px(px + 0.5));
  if (pixel.first < pixel.last) {
    const std::uint32_t longest = row.index->longest_in(row.lod, durations, pixel.first, pixel.last);
    return {{id(longest), kNoInstant}, pixel.last - pixel.first};
  }
  const SliceRun near =
      overlapping(row, view.ns_from_px(px - tolerance_px), view.ns_from_px(px + tolerance_px));
  if (near.first >= near.last) return {};
  // The pixel is empty: the candidates are the neighbors on both sides.
  const auto later =
      std::partition_point(starts.begin() + near.first, starts.begin() + near.last,
                           [&](std::int64_t start) { return static_cast<double>(start) < time; });
  auto after = static_cast<std::uint32_t>(later - starts.begin());
  if (after == near.last) --after;
  std::uint32_t best = after;
  const auto distance = [&](std::uint32_t i) {
    const auto start = static_cast<double>(starts[i]);
    return std::max({0.0, start - time, time - start - static_cast<double>(durations[i])});
  };
  if (after > near.first && distance(after - 1) <= distance(best)) best = after - 1;
  return {{id(best), kNoInstant}, 1};
}

EventPick pick_instant(const Trace& trace, TrackId track_id, const TimeView& view, double px,
                       double tolerance_px) {
  const Track& track = trace.track(track_id);
  const auto times = trace.instants.time_ns.sub(track.first_instant, track.instant_count);
  const double begin = view.ns_from_px(px - tolerance_px);
  const double end = view.ns_from_px(px + tolerance_px);
  const auto first = std::partition_point(
      times.begin(), times.end(), [&](std::int64_t time) { return static_cast<double>(time) < begin; });
  const auto last = std::partition_point(first, times.end(),
                                         [&](std::int64_t time) { return static_cast<double>(time) <= end; });
  if (first == last) return {};
  const double wanted = view.ns_from_px(px);
  auto nearest = std::partition_point(first, last,
                                      [&](std::int64_t time) { return static_cast<double>(time) < wanted; });
  if (nearest == last) --nearest;
  if (nearest != first &&
      wanted - static_cast<double>(*(nearest - 1)) < static_cast<double>(*nearest) - wanted) {
    --nearest;
  }
  const auto index = track.first_instant + static_cast<std::uint32_t>(nearest - times.begin());
  return {{kNoSlice, index}, static_cast<std::uint32_t>(last - first)};
}

CounterReading read_counter(const CounterRow& row, const TimeView& view, double px) {
  constexpr std::ptrdiff_t kMostScanned = 4096;
  const auto times = row.time_ns;
  const auto values = row.value;
  const double begin = view.ns_from_px(px - 0.5);
  const double end = view.ns_from_px(px + 0.5);
  const auto after = std::partition_point(
      times.begin(), times.end(), [&](std::int64_t time) { return static_cast<double>(time) <= end; });
  if (after == times.begin()) return {};
  CounterReading reading;
  std::ptrdiff_t i = after - times.begin() - 1;
  reading.valid = true;
  reading.value = reading.min_value = reading.max_value = values[static_cast<std::size_t>(i)];
  reading.since_ns = times[static_cast<std::size_t>(i)];
  // Return the value that is drawn: the mean over the pixel in whole ns, unless a single value fills the
  // pixel.
  if (row.as_mean() && static_cast<double>(reading.since_ns) > begin) {
    const auto from = std::max(times.front(), static_cast<std::int64_t>(std::floor(begin)));
    const auto until = std::max(from + 1, static_cast<std::int64_t>(std::ceil(end)));
    reading.mean = true;
    reading.value = reading.min_value = reading.max_value = row.mean(from, until);
    return reading;
  }
  const std::ptrdiff_t stop = std::max<std::ptrdiff_t>(0, i - kMostScanned);
  // Go back to the sample that was in effect when the pixel began.
  while (i > stop && static_cast<double>(times[static_cast<std::size_t>(i)]) > begin) {
    --i;
    reading.min_value = std::min(reading.min_value, values[static_cast<std::size_t>(i)]);
    reading.max_value = std::max(reading.max_value, values[static_cast<std::size_t>(i)]);
  }
  return reading;
}

}  // namespace kino
