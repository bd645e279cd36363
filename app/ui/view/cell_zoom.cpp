#include "app/ui/view/cell_zoom.hpp"

#include <algorithm>

#include "app/ui/view/event_pick.hpp"

namespace kino {

TimeRange separating_range(const ShownRows& rows, RowId row_id, const TimeView& view, double px) {
  const SliceRow row = rows.slices_of(row_id);
  auto [first, last] = overlapping(row, view.ns_from_px(px - 0.5), view.ns_from_px(px + 0.5));
  if (first >= last) return {};
  if (last - first > kMaxSeparated) {
    const double time = view.ns_from_px(px);
    const std::uint32_t middle =
        std::clamp(overlapping(row, time, time).last, first + kMaxSeparated / 2, last - kMaxSeparated / 2);
    first = middle - kMaxSeparated / 2;
    last = middle + kMaxSeparated / 2;
  }
  return {row.start_ns[first], row.start_ns[last - 1] + row.duration_ns[last - 1]};
}

}  // namespace kino
