#include "app/ui/view/range_selection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kino {

void RangeSelection::begin(std::int64_t time_ns) {
  if (!dragging_) before_ = marked_;
  anchor_ns_ = moved_ns_ = time_ns;
  dragging_ = true;
}

void RangeSelection::grab(Edge edge) {
  if (!marked_.range) return;
  before_ = marked_;
  anchor_ns_ = edge == Edge::begin ? marked_.range->end_ns : marked_.range->begin_ns;
  moved_ns_ = edge == Edge::begin ? marked_.range->begin_ns : marked_.range->end_ns;
  dragging_ = true;
}

void RangeSelection::drag_to(std::int64_t time_ns) {
  if (!dragging_) return;
  moved_ns_ = time_ns;
  if (moved_ns_ == anchor_ns_) return;
  marked_.range = TimeRange{std::min(anchor_ns_, moved_ns_), std::max(anchor_ns_, moved_ns_)};
}

void RangeSelection::finish() {
  if (!dragging_) return;
  dragging_ = false;
  if (moved_ns_ == anchor_ns_ || !marked_.range) marked_ = {};
  if (marked_ != std::exchange(before_, {})) ++generation_;
}

void RangeSelection::cancel() {
  if (std::exchange(dragging_, false)) marked_ = std::exchange(before_, {});
}

void RangeSelection::cover(std::optional<std::vector<std::uint32_t>> tracks) {
  if (!marked_.range || marked_.tracks == tracks) return;
  marked_.tracks = std::move(tracks);
  if (!dragging_) ++generation_;
}

void RangeSelection::set(TimeRange range, std::optional<std::vector<std::uint32_t>> tracks) {
  cancel();
  Marked wanted{range, std::move(tracks)};
  if (range.length_ns() <= 0 || marked_ == wanted) return;
  marked_ = std::move(wanted);
  ++generation_;
}

void RangeSelection::clear() {
  cancel();
  if (marked_.range) ++generation_;
  marked_ = {};
}

std::optional<std::int64_t> nearest_edge(const ShownRows& shown, std::span<const RowId> rows,
                                         const TimeView& view, double px, double tolerance_px) {
  const double wanted = view.ns_from_px(px);
  std::optional<std::int64_t> nearest;
  double distance = tolerance_px * view.ns_per_px;
  const auto consider = [&](std::int64_t edge) {
    const double away = std::abs(static_cast<double>(edge) - wanted);
    if (nearest ? away < distance : away <= distance) {
      nearest = edge;
      distance = away;
    }
  };
  for (const RowId row_id : rows) {
    const SliceRow row = shown.slices_of(row_id);
    const auto starts = row.start_ns;
    const auto durations = row.duration_ns;
    const auto end_at = [&](std::size_t i) { return starts[i] + durations[i]; };
    // The slices of a row are sorted and do not overlap, so their starts and ends ascend.
    const auto after = static_cast<std::size_t>(
        std::partition_point(starts.begin(), starts.end(),
                             [&](std::int64_t start) { return static_cast<double>(start) < wanted; }) -
        starts.begin());
    if (after < starts.size()) consider(starts[after]);
    if (after == 0) continue;
    consider(starts[after - 1]);
    consider(end_at(after - 1));
    if (after > 1) consider(end_at(after - 2));
  }
  return nearest;
}

}  // namespace kino
