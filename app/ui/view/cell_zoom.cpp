#include "app/ui/view/cell_zoom.hpp"

#include <algorithm>

namespace kino {

TimeRange parting_range(const ShownRows& rows, RowId row_id, const TimeView& view, double px) {
  const SliceRow row = rows.slices_of(row_id);
  const auto starts = row.start_ns;
  const auto durations = row.duration_ns;
  // Slices of a row are disjoint, so their ends are sorted, too.
  const auto first_ending_from = [&](double time) {
    std::uint32_t first = 0;
    auto below = static_cast<std::uint32_t>(starts.size());
    while (first < below) {
      const std::uint32_t middle = first + (below - first) / 2;
      if (static_cast<double>(starts[middle] + durations[middle]) < time) {
        first = middle + 1;
      } else {
        below = middle;
      }
    }
    return first;
  };
  const auto first_starting_after = [&](double time) {
    return static_cast<std::uint32_t>(
        std::partition_point(starts.begin(), starts.end(),
                             [&](std::int64_t start) { return static_cast<double>(start) <= time; }) -
        starts.begin());
  };
  std::uint32_t first = first_ending_from(view.ns_from_px(px - 0.5));
  std::uint32_t last = first_starting_after(view.ns_from_px(px + 0.5));
  if (first >= last) return {};
  if (last - first > kMostParted) {
    const std::uint32_t middle = std::clamp(first_starting_after(view.ns_from_px(px)),
                                            first + kMostParted / 2, last - kMostParted / 2);
    first = middle - kMostParted / 2;
    last = middle + kMostParted / 2;
  }
  return {starts[first], starts[last - 1] + durations[last - 1]};
}

}  // namespace kino
