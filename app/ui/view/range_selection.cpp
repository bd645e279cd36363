#include "app/ui/view/range_selection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kino {

void RangeSelection::begin(std::int64_t time_ns) {
  if (!dragging_) {
    before_ = range_;
    tracks_before_ = tracks_;
  }
  anchor_ns_ = moved_ns_ = time_ns;
  dragging_ = true;
}

void RangeSelection::grab(Edge edge) {
  if (!range_) return;
  before_ = range_;
  tracks_before_ = tracks_;
  anchor_ns_ = edge == Edge::begin ? range_->end_ns : range_->begin_ns;
  moved_ns_ = edge == Edge::begin ? range_->begin_ns : range_->end_ns;
  dragging_ = true;
}

void RangeSelection::drag_to(std::int64_t time_ns) {
  if (!dragging_) return;
  moved_ns_ = time_ns;
  if (moved_ns_ == anchor_ns_) return;
  range_ = TimeRange{std::min(anchor_ns_, moved_ns_), std::max(anchor_ns_, moved_ns_)};
}

void RangeSelection::finish() {
  if (!dragging_) return;
  dragging_ = false;
  if (moved_ns_ == anchor_ns_) range_.reset();
  if (!range_) tracks_.reset();
  if (range_ != before_ || tracks_ != tracks_before_) ++generation_;
  before_.reset();
  tracks_before_.reset();
}

void RangeSelection::cancel() {
  if (!dragging_) return;
  dragging_ = false;
  range_ = before_;
  tracks_ = std::move(tracks_before_);
  before_.reset();
  tracks_before_.reset();
}

void RangeSelection::cover(std::optional<std::vector<std::uint32_t>> tracks) {
  if (!range_ || tracks_ == tracks) return;
  tracks_ = std::move(tracks);
  if (!dragging_) ++generation_;
}

void RangeSelection::set(TimeRange range, std::optional<std::vector<std::uint32_t>> tracks) {
  cancel();
  if (range.length_ns() <= 0 || (range_ == range && tracks_ == tracks)) return;
  range_ = range;
  tracks_ = std::move(tracks);
  ++generation_;
}

void RangeSelection::clear() {
  cancel();
  if (!range_) return;
  range_.reset();
  tracks_.reset();
  ++generation_;
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
    // Slices of a row are disjoint and sorted, so their starts and ends ascend.
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
