#include "app/track_layout.hpp"

#include <algorithm>
#include <cmath>

namespace kino {
namespace {

constexpr std::uint32_t kNoItem = 0xffffffffU;

bool is_bookkeeping(const Process& process) { return process.pid == "Spans" || process.pid == "Traces"; }

std::uint32_t lanes_shown(const Track& track, TrackFold fold, const LayoutMeasures& measures) {
  switch (fold) {
    case TrackFold::folded:
      return std::min(track.row_count, 1U);
    case TrackFold::open:
      return track.row_count;
    case TrackFold::capped:
      break;
  }
  return track.row_count <= measures.lane_cap + measures.lane_slack ? track.row_count : measures.lane_cap;
}

LayoutItem track_item(const Trace& trace, std::uint32_t index, TrackFold fold,
                      const LayoutMeasures& measures) {
  const Track& track = trace.tracks[index];
  LayoutItem item;
  item.kind = LayoutItem::Kind::track;
  item.index = index;
  item.lanes_top_px = measures.padding_px;
  if (track.kind == TrackKind::counter) {
    item.height_px = measures.counter_px + 2 * measures.padding_px;
    return item;
  }
  item.instants = track.instant_count > 0;
  if (item.instants) item.lanes_top_px += measures.instants_px + measures.gap_px;
  item.lanes_shown = lanes_shown(track, fold, measures);
  item.lanes_hidden = track.row_count - item.lanes_shown;
  const float content_px = item.lanes_top_px + static_cast<float>(item.lanes_shown) * measures.lane_px;
  item.height_px = std::max(content_px, measures.padding_px + measures.lane_px) + measures.padding_px;
  return item;
}

}  // namespace

LayoutMeasures LayoutMeasures::scaled(float scale) {
  LayoutMeasures measures;
  const auto whole = [scale](float px) { return std::max(1.0F, std::round(px * scale)); };
  measures.group_px = whole(measures.group_px);
  measures.lane_px = whole(measures.lane_px);
  measures.gap_px = whole(measures.gap_px);
  measures.instants_px = whole(measures.instants_px);
  measures.counter_px = whole(measures.counter_px);
  measures.padding_px = whole(measures.padding_px);
  return measures;
}

FoldState FoldState::defaults(const Trace& trace) {
  return {std::vector<std::uint8_t>(trace.processes.size(), 1),
          std::vector<TrackFold>(trace.tracks.size(), TrackFold::capped)};
}

std::vector<std::uint32_t> display_order(const Trace& trace) {
  std::vector<std::uint32_t> order(trace.processes.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_partition(order.begin(), order.end(),
                        [&](std::uint32_t i) { return !is_bookkeeping(trace.processes[i]); });
  return order;
}

void TrackLayout::rebuild(const Trace& trace, const FoldState& folds, const LayoutMeasures& measures) {
  trace_ = &trace;
  measures_ = measures;
  items_.clear();
  item_of_track_.assign(trace.tracks.size(), kNoItem);
  double top = 0;
  for (const std::uint32_t process : display_order(trace)) {
    LayoutItem header;
    header.index = process;
    header.top_px = top;
    header.height_px = measures.group_px;
    items_.push_back(header);
    top += header.height_px;
    if (folds.group_open[process] == 0) continue;
    const Process& group = trace.processes[process];
    for (std::uint32_t k = 0; k < group.track_count; ++k) {
      const std::uint32_t track = group.first_track + k;
      LayoutItem item = track_item(trace, track, folds.tracks[track], measures);
      item.striped = k % 2 == 1;
      item.top_px = top;
      item_of_track_[track] = static_cast<std::uint32_t>(items_.size());
      items_.push_back(item);
      top += item.height_px;
    }
  }
  height_px_ = top;
}

TrackLayout::Visible TrackLayout::visible(double top_px, double bottom_px) const {
  const auto first = std::partition_point(items_.begin(), items_.end(),
                                          [&](const LayoutItem& item) { return item.bottom_px() <= top_px; });
  const auto last = std::partition_point(first, items_.end(),
                                         [&](const LayoutItem& item) { return item.top_px < bottom_px; });
  return {static_cast<std::size_t>(first - items_.begin()), static_cast<std::size_t>(last - items_.begin())};
}

LayoutHit TrackLayout::hit(double y_px) const {
  if (y_px < 0 || y_px >= height_px_) return {};
  const auto next = std::partition_point(items_.begin(), items_.end(),
                                         [&](const LayoutItem& item) { return item.bottom_px() <= y_px; });
  if (next == items_.end()) return {};
  LayoutHit hit;
  hit.item = &*next;
  if (next->kind == LayoutItem::Kind::group) {
    hit.kind = LayoutHit::Kind::group;
    return hit;
  }
  hit.kind = LayoutHit::Kind::track;
  const Track& track = trace_->tracks[next->index];
  const double inside = y_px - next->top_px;
  if (track.kind == TrackKind::counter) {
    hit.kind = LayoutHit::Kind::counter;
    return hit;
  }
  if (next->instants && inside < next->lanes_top_px) {
    hit.kind = LayoutHit::Kind::instants;
    return hit;
  }
  if (inside < next->lanes_top_px) return hit;
  const auto lane = static_cast<std::uint32_t>((inside - next->lanes_top_px) / measures_.lane_px);
  if (lane >= next->lanes_shown) return hit;
  hit.kind = LayoutHit::Kind::lane;
  hit.row = track.first_row + lane;
  return hit;
}

void TrackLayout::visible_lanes(double scroll_px, double height_px, std::vector<LaneDraw>& out) const {
  out.clear();
  const double bottom_px = scroll_px + height_px;
  const Visible range = visible(scroll_px, bottom_px);
  for (std::size_t i = range.first; i < range.last; ++i) {
    const LayoutItem& item = items_[i];
    if (item.kind == LayoutItem::Kind::group) continue;
    const Track& track = trace_->tracks[item.index];
    const auto top = static_cast<float>(item.top_px - scroll_px);
    if (track.kind == TrackKind::counter) {
      out.push_back({LaneDraw::Kind::counter, item.index, top + item.lanes_top_px, measures_.counter_px});
      continue;
    }
    if (item.instants) {
      out.push_back(
          {LaneDraw::Kind::instants, item.index, top + measures_.padding_px, measures_.instants_px});
    }
    const double lane_px = measures_.lane_px;
    const double lanes_top = item.top_px + item.lanes_top_px;
    const auto first =
        static_cast<std::uint32_t>(std::max(0.0, std::floor((scroll_px - lanes_top) / lane_px)));
    const double wanted = std::max(0.0, std::ceil((bottom_px - lanes_top) / lane_px));
    const auto last = static_cast<std::uint32_t>(std::min<double>(item.lanes_shown, wanted));
    for (std::uint32_t lane = first; lane < last; ++lane) {
      out.push_back({LaneDraw::Kind::slices, track.first_row + lane,
                     top + item.lanes_top_px + static_cast<float>(lane) * measures_.lane_px,
                     measures_.lane_px});
    }
  }
}

const LayoutItem* TrackLayout::item_of(TrackId track) const {
  const std::uint32_t i = index_of(track);
  if (i >= item_of_track_.size() || item_of_track_[i] == kNoItem) return nullptr;
  return &items_[item_of_track_[i]];
}

double TrackLayout::lane_top_px(RowId row) const {
  const Row& wanted = trace_->rows[index_of(row)];
  const LayoutItem* item = item_of(wanted.track);
  const std::uint32_t lane = index_of(row) - trace_->tracks[index_of(wanted.track)].first_row;
  if (item == nullptr || lane >= item->lanes_shown) return -1;
  return item->top_px + item->lanes_top_px + static_cast<double>(lane) * measures_.lane_px;
}

bool reveal(FoldState& folds, const Trace& trace, RowId row, const LayoutMeasures& measures) {
  bool changed = false;
  const TrackId track_id = trace.rows[index_of(row)].track;
  const Track& track = trace.tracks[index_of(track_id)];
  if (folds.group_open[track.process] == 0) {
    folds.group_open[track.process] = 1;
    changed = true;
  }
  TrackFold& fold = folds.tracks[index_of(track_id)];
  const std::uint32_t lane = index_of(row) - track.first_row;
  for (const TrackFold next : {TrackFold::capped, TrackFold::open}) {
    if (lane < lanes_shown(track, fold, measures)) break;
    fold = next;
    changed = true;
  }
  return changed;
}

}  // namespace kino
