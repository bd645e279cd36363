#include "app/ui/view/track_layout.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace kino {
namespace {

constexpr std::uint32_t kNoItem = 0xffffffffU;
constexpr std::uint32_t kMostMergedLanes = 1000;  // limit, since each lane is drawn in every frame
constexpr std::uint32_t kLeastIdle =
    2;  // minimum to fold: the line that replaces a single idle track would be as tall

std::uint32_t lanes_shown(std::uint32_t lanes, TrackFold fold, const LayoutMeasures& measures) {
  if (fold == TrackFold::folded || fold == TrackFold::merged) return std::min(lanes, 1U);
  const bool all = fold == TrackFold::open || lanes <= measures.lane_cap + measures.lane_slack;
  return all ? lanes : measures.lane_cap;
}

/// Builds an item with `lanes` lanes, whose heights are not set.
LayoutItem track_item(const ShownRows& rows, std::uint32_t index, const TrackStyle& style,
                      const LayoutMeasures& measures, std::uint32_t lanes) {
  const Track& track = rows.track_at(index);
  LayoutItem item;
  item.kind = LayoutItem::Kind::track;
  item.index = index;
  item.lanes_top_px = measures.padding_px;
  if (track.kind == TrackKind::counter) {
    item.lane_px = measures.counter(style.height);
    item.height_px = item.lane_px + 2 * measures.padding_px;
    return item;
  }
  item.instants = track.instant_count > 0;
  if (item.instants) item.lanes_top_px += measures.instants_px + measures.gap_px;
  item.lanes_shown = lanes_shown(lanes, style.fold, measures);
  item.merged = style.fold == TrackFold::merged && track.row_count > 1;
  item.lanes_hidden =
      item.merged ? track.row_count - std::min(track.row_count, kMostMergedLanes) : lanes - item.lanes_shown;
  return item;
}

}  // namespace

LayoutMeasures LayoutMeasures::scaled(float scale, float room_px) {
  LayoutMeasures measures;
  // Between these heights of the tracks (at scale 1), the limits grow linearly, up to those of tall windows.
  constexpr float kUsualRoom = 640;
  constexpr float kHighRoom = 1100;
  constexpr float kMoreKernel = 30;
  const float high = std::clamp((room_px / scale - kUsualRoom) / (kHighRoom - kUsualRoom), 0.0F, 1.0F);
  measures.most_kernel_px += kMoreKernel * high;
  measures.most_lane_px += high;
  for (float* px :
       {&measures.group_px, &measures.idle_px, &measures.lane_px, &measures.compact_lane_px,
        &measures.expanded_lane_px, &measures.annotation_lane_px, &measures.python_lane_px,
        &measures.least_lane_px, &measures.most_lane_px, &measures.most_stream_px, &measures.least_kernel_px,
        &measures.most_kernel_px, &measures.gap_px, &measures.instants_px, &measures.counter_px,
        &measures.compact_counter_px, &measures.expanded_counter_px, &measures.padding_px}) {
    *px = std::max(1.0F, std::round(*px * scale));
  }
  measures.room_px = room_px;
  return measures;
}

float LayoutMeasures::lane(TrackHeight height) const {
  if (height == TrackHeight::compact) return compact_lane_px;
  return height == TrackHeight::expanded ? expanded_lane_px : lane_px;
}

float LayoutMeasures::counter(TrackHeight height) const {
  if (height == TrackHeight::compact) return compact_counter_px;
  return height == TrackHeight::expanded ? expanded_counter_px : counter_px;
}

bool TrackLayout::stands(std::uint32_t track) const {
  const ShownRows all = rows();
  if (track >= all.track_count()) return false;
  const bool packed = process_packed_[all.track_at(track).process] != 0;
  if (all.is_derived(track)) {
    // Queue lengths per stream are shown with streams; their sum is shown with packed streams.
    const DerivedCounter kind = counters_->kind(track);
    if (always_shown(kind)) return true;
    if (kind == DerivedCounter::queue_length) return counters_stand_ && !packed;
    return counters_stand_ && (packed || kind != DerivedCounter::all_queues);
  }
  if (all.is_packed_track(track)) return packed;
  return !(packed && all.track_at(track).kind == TrackKind::gpu_stream);
}

bool TrackLayout::chosen(const Track& track) const {
  if (choice_.marked == nullptr) return true;
  for (std::uint32_t lane = 0; track.kind != TrackKind::counter && lane < track.row_count; ++lane) {
    if (chosen(RowId{track.first_row + lane})) return true;
  }
  return false;
}

TrackLayout::LaneHeights TrackLayout::natural_heights() const {
  LaneHeights heights{};
  heights.fill(measures_.lane_px);
  heights[static_cast<std::size_t>(LaneClass::python)] = measures_.python_lane_px;
  heights[static_cast<std::size_t>(LaneClass::annotations)] = measures_.annotation_lane_px;
  return heights;
}

TrackLayout::LaneHeights TrackLayout::shared_heights(float part_px) const {
  constexpr float kKernelParts = 3;
  LaneHeights heights = natural_heights();
  heights[static_cast<std::size_t>(LaneClass::kernels)] =
      std::clamp(kKernelParts * part_px, measures_.least_kernel_px, measures_.most_kernel_px);
  heights[static_cast<std::size_t>(LaneClass::other_stream)] =
      std::clamp(part_px, measures_.lane_px, measures_.most_stream_px);
  heights[static_cast<std::size_t>(LaneClass::operators)] =
      std::clamp(part_px, measures_.least_lane_px, measures_.most_lane_px);
  return heights;
}

LaneClass TrackLayout::class_of_line(const LayoutItem& item, std::uint32_t line) const {
  const Track& track = rows().track_at(item.index);
  const std::uint32_t row = track.first_row + lane_of_line(item, line);
  return item.merged || row >= lane_classes_.size() ? class_of(track.kind) : lane_classes_[row];
}

void TrackLayout::place_lanes(LayoutItem& item) {
  constexpr float kExpanded = 1.6F;  // height of expanded lanes relative to others of their class
  const TrackHeight chosen = arranged_->tracks[item.index].height;
  const auto height_of = [&](std::uint32_t line) {
    const auto found = static_cast<std::size_t>(class_of_line(item, line));
    if (chosen == TrackHeight::normal) {
      ++lane_counts_[found];
      return heights_[found];
    }
    const float px = measures_.lane(chosen);
    return chosen == TrackHeight::expanded ? std::max(px, std::round(kExpanded * heights_[found])) : px;
  };
  const auto first = static_cast<std::uint32_t>(lane_tops_.size());
  float end = 0;
  bool equal = true;
  item.lane_px = item.lanes_shown > 0 ? 0 : measures_.lane_px;
  for (std::uint32_t line = 0; line < item.lanes_shown; ++line) {
    const float height = height_of(line);
    if (line == 0) item.lane_px = height;
    equal = equal && height == item.lane_px;
    lane_tops_.push_back(end);
    end += height;
  }
  lane_tops_.push_back(end);
  if (equal) {
    lane_tops_.resize(first);
  } else {
    item.first_top = first;
  }
  // Leave enough room beside the lanes for a one-line name.
  const float name_px = measures_.padding_px + std::max(measures_.lane_px, item.lane_px);
  item.height_px = std::max(item.lanes_top_px + end, name_px) + measures_.padding_px;
}

std::optional<LayoutItem> TrackLayout::make_item(std::uint32_t track, bool pinned) {
  const ShownRows shown_rows = rows();
  const Track& model = shown_rows.track_at(track);
  const TrackStyle& style = arranged_->tracks[track];
  const bool all = choice_.marked == nullptr || pinned || arranged_->is_pinned(track);
  const auto first = static_cast<std::uint32_t>(chosen_lanes_.size());
  std::uint32_t lanes = model.row_count;
  if (!all) {
    for (std::uint32_t lane = 0; model.kind != TrackKind::counter && lane < model.row_count; ++lane) {
      if (chosen(RowId{model.first_row + lane})) chosen_lanes_.push_back(lane);
    }
    lanes = static_cast<std::uint32_t>(chosen_lanes_.size()) - first;
    if (lanes == 0) return std::nullopt;
  }
  LayoutItem item = track_item(shown_rows, track, style, measures_, lanes);
  item.pinned = pinned;
  const StreamBrackets* const brackets = annotations_ != nullptr ? annotations_->of_stream(track) : nullptr;
  if (brackets != nullptr && above_stream(brackets->annotations) && brackets->lane_count() > 0) {
    item.brackets = brackets->lane_count();
    item.lanes_top_px += measures_.gap_px + static_cast<float>(item.brackets) * measures_.annotation_lane_px;
  }
  if (all || lanes == model.row_count || item.merged) {
    chosen_lanes_.resize(first);
  } else {
    item.first_chosen = first;
  }
  if (model.kind != TrackKind::counter) place_lanes(item);
  return item;
}

void TrackLayout::add(LayoutItem item) {
  item.top_px = height_px_;
  height_px_ += item.height_px;
  if (item.kind == LayoutItem::Kind::track) {
    item_of_track_[item.index] = static_cast<std::uint32_t>(items_.size());
    ++shown_tracks_;
  } else if (item.kind == LayoutItem::Kind::group) {
    item_of_group_[item.index] = static_cast<std::uint32_t>(items_.size());
  }
  items_.push_back(item);
}

void TrackLayout::add_group(std::uint32_t process, std::span<const std::uint32_t> members) {
  const ShownRows shown_rows = rows();
  const Process& group = trace_->processes[process];
  LayoutItem header;
  header.index = process;
  header.height_px = measures_.group_px;
  header.count = static_cast<std::uint32_t>(members.size());
  const bool open = arranged_->group_open[process] != 0;
  const bool filtered = !arranged_->filter.empty();
  std::vector<std::uint32_t> shown;
  std::vector<std::uint32_t> idle;
  for (const std::uint32_t track : members) {
    if (above_stream(track)) {
      --header.count;
      continue;
    }
    if (arranged_->tracks[track].hidden || !chosen(shown_rows.track_at(track)) ||
        (filtered && !filter_matches(arranged_->filter, group, shown_rows.track_at(track),
                                     arranged_->tracks[track].title))) {
      ++header.hidden;
      continue;
    }
    if (!open || item_of_track_[track] != kNoItem) continue;  // folded away, or pinned
    shown.push_back(track);
    if (arranged_->idle[track] != 0) idle.push_back(track);
  }
  if (header.hidden > 0 && header.hidden == header.count) return;
  add(header);
  if (!open) return;
  // Fold idle tracks away only if there are several, not all tracks are idle, and no filter applies.
  const bool folds_idle = idle.size() >= kLeastIdle && idle.size() < shown.size() &&
                          arranged_->filter.empty() && choice_.marked == nullptr;
  if (folds_idle) std::erase_if(shown, [&](std::uint32_t track) { return arranged_->idle[track] != 0; });
  bool striped = false;
  const auto add_tracks = [&](const std::vector<std::uint32_t>& tracks) {
    for (const std::uint32_t track : tracks) {
      std::optional<LayoutItem> item = make_item(track);
      if (!item) continue;
      item->striped = std::exchange(striped, !striped);
      add(*item);
    }
  };
  add_tracks(shown);
  if (!folds_idle) return;
  LayoutItem line;
  line.kind = LayoutItem::Kind::idle;
  line.index = process;
  line.height_px = measures_.idle_px;
  line.count = static_cast<std::uint32_t>(idle.size());
  add(line);
  if (arranged_->idle_open[process] != 0) add_tracks(idle);
}

void TrackLayout::find_brackets() {
  above_stream_.clear();
  if (annotations_ == nullptr || arranged_->annotation_rows || choice_.marked != nullptr) return;
  above_stream_.assign(trace_->tracks.size(), 0);
  const std::string& filter = arranged_->filter;
  for (const StreamBrackets& brackets : annotations_->streams) {
    const Track& stream = trace_->tracks[brackets.stream];
    const TrackStyle& style = arranged_->tracks[brackets.stream];
    const bool shown =
        stands(brackets.stream) && !style.hidden &&
        (filter.empty() || filter_matches(filter, trace_->processes[stream.process], stream, style.title));
    const bool own_rows =
        arranged_->tracks[brackets.annotations].hidden || arranged_->is_pinned(brackets.annotations);
    above_stream_[brackets.annotations] = shown && !own_rows ? 1 : 0;
  }
}

void TrackLayout::group_members(const ShownRows& rows, const Arrangement& arrangement) {
  const std::size_t processes = trace_->processes.size();
  order_ = arrangement.order;
  std::vector<std::uint32_t> process(order_.size(), kNoItem);
  first_member_.assign(processes + 1, 0);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (!stands(order_[i])) continue;
    process[i] = rows.track_at(order_[i]).process;
    ++first_member_[process[i] + 1];
  }
  std::partial_sum(first_member_.begin(), first_member_.end(), first_member_.begin());
  members_.resize(first_member_.back());
  std::vector<std::uint32_t> next = first_member_;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (process[i] != kNoItem) members_[next[process[i]]++] = order_[i];
  }
}

void TrackLayout::rebuild(const ShownRows& rows, const Arrangement& arrangement,
                          const LayoutMeasures& measures, double most_pinned_px, const RowChoice& choice) {
  if (trace_ != rows.trace) lane_classes_ = lane_classes(*rows.trace);
  const bool other_rows = trace_ != rows.trace || packed_ != rows.packed || counters_ != rows.counters ||
                          counters_stand_ != arrangement.counters;
  trace_ = rows.trace;
  packed_ = rows.packed;
  counters_ = rows.counters;
  annotations_ = rows.annotations;
  counters_stand_ = arrangement.counters;
  arranged_ = &arrangement;
  measures_ = measures;
  choice_ = choice;
  const std::vector<std::uint8_t> packed_before = std::move(process_packed_);
  process_packed_.assign(trace_->processes.size(), 0);
  for (std::size_t p = 0; p < process_packed_.size(); ++p)
    process_packed_[p] = packed_ != nullptr && arrangement.packed[p] != 0 ? packed_->process_packed[p] : 0;
  chosen_row_.reset();
  if (choice_.marked != nullptr && choice_.with != kNoSlice) chosen_row_ = row_of(choice_.with);
  if (other_rows || process_packed_ != packed_before || order_ != arrangement.order)
    group_members(rows, arrangement);
  find_brackets();
  share_room(most_pinned_px);
  arranged_ = nullptr;
  choice_ = {};
  ++generation_;
}

void TrackLayout::arrange(const LaneHeights& heights, double most_pinned_px) {
  heights_ = heights;
  lane_counts_ = {};
  lane_tops_.clear();
  chosen_lanes_.clear();
  items_.clear();
  item_of_track_.assign(rows().track_count(), kNoItem);
  height_px_ = 0;
  shown_tracks_ = 0;
  for (const std::uint32_t track : arranged_->pinned) {
    if (!stands(track) || arranged_->tracks[track].hidden) continue;
    if (const std::optional<LayoutItem> item = make_item(track, true)) add(*item);
  }
  pinned_count_ = items_.size();
  pinned_content_px_ = height_px_;
  pinned_px_ = height_px_ = std::min(height_px_, std::max(0.0, most_pinned_px));
  item_of_group_.assign(trace_->processes.size(), kNoItem);
  for (const std::uint32_t process : arranged_->groups) {
    const std::uint32_t first = first_member_[process];
    add_group(process, std::span(members_).subspan(first, first_member_[process + 1] - first));
  }
}

void TrackLayout::share_room(double most_pinned_px) {
  constexpr double kMostKernels = 0.4;  // maximum share of kernels if not everything fits
  const double room = measures_.room_px;
  const auto kernels = static_cast<std::size_t>(LaneClass::kernels);
  const auto fits = [&](float part_px) {
    arrange(shared_heights(part_px), most_pinned_px);
    return height_px_ <= room && pinned_content_px_ <= most_pinned_px;
  };
  float part = std::floor(measures_.least_kernel_px / 3);  // all lanes have their minimum heights here
  if (room <= 0 || !fits(part)) {
    LaneHeights heights = natural_heights();
    if (room > 0 &&
        measures_.least_kernel_px * static_cast<float>(lane_counts_[kernels]) <= kMostKernels * room)
      heights[kernels] = std::max(heights[kernels], measures_.least_kernel_px);
    arrange(heights, most_pinned_px);
    return;
  }
  float most = std::max(measures_.most_lane_px, std::ceil(measures_.most_kernel_px / 3));
  while (part < most) {
    const float middle = std::ceil((part + most) / 2);
    if (fits(middle)) {
      part = middle;
    } else {
      most = middle - 1;
    }
  }
  // The remaining px are too few to make every lane of operators 1 px higher, so kernels get them.
  LaneHeights heights = shared_heights(part);
  arrange(heights, most_pinned_px);
  const auto more = static_cast<float>(std::floor((room - height_px_) / std::max(1U, lane_counts_[kernels])));
  heights[kernels] = std::min(heights[kernels] + more, std::max(heights[kernels], measures_.most_kernel_px));
  if (more >= 1 && lane_counts_[kernels] > 0) arrange(heights, most_pinned_px);
}

std::uint32_t TrackLayout::line_at(const LayoutItem& item, double offset_px) const {
  if (offset_px < 0) return 0;
  if (item.first_top == LayoutItem::kAllLanes)
    return static_cast<std::uint32_t>(std::min<double>(item.lanes_shown, offset_px / item.lane_px));
  const auto begin = lane_tops_.begin() + item.first_top;
  const auto end = begin + item.lanes_shown + 1;
  const auto after = std::upper_bound(begin, end, static_cast<float>(offset_px));
  return std::min(item.lanes_shown, static_cast<std::uint32_t>(after - begin) - 1);
}

TrackLayout::Range TrackLayout::visible(bool pinned, TrackScroll scroll, double height_px) const {
  const auto border = items_.begin() + static_cast<std::ptrdiff_t>(pinned_count_);
  const double top_px = pinned ? scroll.pinned_px : pinned_px_ + scroll.content_px;
  const double bottom_px =
      pinned ? scroll.pinned_px + std::min(pinned_px_, height_px) : scroll.content_px + height_px;
  const auto first = std::partition_point(pinned ? items_.begin() : border, pinned ? border : items_.end(),
                                          [&](const LayoutItem& item) { return item.bottom_px() <= top_px; });
  const auto last = std::partition_point(first, pinned ? border : items_.end(),
                                         [&](const LayoutItem& item) { return item.top_px < bottom_px; });
  return {static_cast<std::size_t>(first - items_.begin()), static_cast<std::size_t>(last - items_.begin())};
}

LayoutHit TrackLayout::hit(double y_px, TrackScroll scroll) const {
  if (y_px < 0) return {};
  const bool in_pinned = y_px < pinned_px_;
  const double y = y_px + (in_pinned ? scroll.pinned_px : scroll.content_px);
  if (y < 0 || y >= (in_pinned ? pinned_content_px_ : height_px_)) return {};
  const auto border = items_.begin() + static_cast<std::ptrdiff_t>(pinned_count_);
  const auto end = in_pinned ? border : items_.end();
  const auto next = std::partition_point(in_pinned ? items_.begin() : border, end,
                                         [&](const LayoutItem& item) { return item.bottom_px() <= y; });
  if (next == end) return {};
  LayoutHit hit;
  hit.item = &*next;
  if (next->kind != LayoutItem::Kind::track) {
    hit.kind = next->kind == LayoutItem::Kind::group ? LayoutHit::Kind::group : LayoutHit::Kind::idle;
    return hit;
  }
  hit.kind = LayoutHit::Kind::track;
  const Track& track = rows().track_at(next->index);
  const double inside = y - next->top_px;
  if (track.kind == TrackKind::counter) {
    hit.kind = LayoutHit::Kind::counter;
    return hit;
  }
  if (next->brackets > 0 && inside >= bracket_top(*next, 0) && inside < next->lanes_top_px) {
    const double offset = inside - bracket_top(*next, 0);
    hit.kind = LayoutHit::Kind::bracket;
    hit.row = std::min(next->brackets - 1, static_cast<std::uint32_t>(offset / measures_.annotation_lane_px));
    return hit;
  }
  if (next->instants && inside < next->lanes_top_px) {
    hit.kind = LayoutHit::Kind::instants;
    return hit;
  }
  if (inside < next->lanes_top_px) return hit;
  const std::uint32_t lane = line_at(*next, inside - next->lanes_top_px);
  if (lane >= next->lanes_shown) return hit;
  hit.kind = LayoutHit::Kind::lane;
  hit.row = track.first_row + lane_of_line(*next, lane);
  return hit;
}

void TrackLayout::add_lanes(const LayoutItem& item, double y, double height_px,
                            std::vector<LaneDraw>& out) const {
  if (item.kind != LayoutItem::Kind::track) return;
  const Track& track = rows().track_at(item.index);
  const auto top = static_cast<float>(y);
  if (track.kind == TrackKind::counter) {
    out.push_back({LaneDraw::Kind::counter, item.index, top + item.lanes_top_px, item.lane_px, item.pinned});
    return;
  }
  if (item.instants) {
    out.push_back({LaneDraw::Kind::instants, item.index, top + measures_.padding_px, measures_.instants_px,
                   item.pinned});
  }
  if (item.merged) {
    for (std::uint32_t row = 0; row < track.row_count - item.lanes_hidden; ++row) {
      out.push_back({LaneDraw::Kind::slices, track.first_row + row, top + item.lanes_top_px, item.lane_px,
                     item.pinned});
    }
    return;
  }
  const double lanes_top = y + item.lanes_top_px;
  const double above = item.pinned ? 0 : pinned_px_;
  if (item.pinned) height_px = std::min(height_px, pinned_px_);
  for (std::uint32_t lane = line_at(item, above - lanes_top); lane < item.lanes_shown; ++lane) {
    const float lane_top = line_top(item, lane);
    if (lanes_top + lane_top >= height_px) break;
    out.push_back({LaneDraw::Kind::slices, track.first_row + lane_of_line(item, lane),
                   top + item.lanes_top_px + lane_top, line_height(item, lane), item.pinned});
  }
}

void TrackLayout::visible_lanes(TrackScroll scroll, double height_px, std::vector<LaneDraw>& out) const {
  out.clear();
  visit_visible(scroll, height_px,
                [&](const LayoutItem& item, double y) { add_lanes(item, y, height_px, out); });
}

double TrackLayout::whole_lines_px(TrackScroll scroll, double height_px) const {
  constexpr double kMostCut = 0.25;
  constexpr double kRoundingPx = 1;  // positions of scrolling are rounded to pixels
  const double y = scroll.content_px + height_px;
  if (height_px <= pinned_px_ || y >= height_px_ - kRoundingPx) return height_px;
  const auto border = items_.begin() + static_cast<std::ptrdiff_t>(pinned_count_);
  const auto cut = std::partition_point(border, items_.end(),
                                        [&](const LayoutItem& item) { return item.bottom_px() <= y; });
  if (cut == items_.end()) return height_px;
  const double inside = y - cut->top_px;
  double end = 0;  // of the last whole line, from the top of the item
  if (cut->kind == LayoutItem::Kind::track && cut->lanes_shown > 0 && inside >= cut->lanes_top_px) {
    const std::uint32_t lane = line_at(*cut, inside - cut->lanes_top_px);
    if (lane >= cut->lanes_shown) return height_px;  // only the padding below the lanes is cut
    const bool above = lane > 0 || cut->brackets > 0 || cut->instants;
    if (above) end = cut->lanes_top_px + line_top(*cut, lane);
  } else if (cut->brackets > 0 && inside > bracket_top(*cut, 0)) {
    const auto whole =
        static_cast<std::uint32_t>((inside - bracket_top(*cut, 0)) / measures_.annotation_lane_px);
    if (whole > 0) end = bracket_top(*cut, std::min(whole, cut->brackets));
  }
  const double bottom = cut->top_px + end - scroll.content_px;
  return bottom < std::max(pinned_px_, (1 - kMostCut) * height_px) ? height_px : bottom;
}

const LayoutItem* TrackLayout::item_of(std::uint32_t track) const {
  if (track >= item_of_track_.size() || item_of_track_[track] == kNoItem) return nullptr;
  return &items_[item_of_track_[track]];
}

const LayoutItem* TrackLayout::group_item(std::uint32_t process) const {
  if (process >= item_of_group_.size() || item_of_group_[process] == kNoItem) return nullptr;
  return &items_[item_of_group_[process]];
}

LanePlace TrackLayout::place_of(RowId row) const {
  const std::uint32_t track = index_of(rows().row_at(row).track);
  const LayoutItem* item = item_of(track);
  if (item == nullptr) return {};
  std::uint32_t lane = item->merged ? 0 : index_of(row) - rows().track_at(track).first_row;
  if (item->first_chosen != LayoutItem::kAllLanes) {
    const auto begin = chosen_lanes_.begin() + item->first_chosen;
    const auto end = begin + item->lanes_shown + item->lanes_hidden;
    const auto at = std::lower_bound(begin, end, lane);
    if (at == end || *at != lane) return {};
    lane = static_cast<std::uint32_t>(at - begin);
  }
  if (lane >= item->lanes_shown) return {};
  return {item, item->top_px + item->lanes_top_px + line_top(*item, lane), line_height(*item, lane)};
}

LanePlace TrackLayout::place_of(SliceId slice) const {
  if (!above_stream_.empty() && trace_->kind(slice) == SliceKind::gpu_annotation) {
    const std::uint32_t track = index_of(trace_->track_of(slice));
    if (above_stream(track)) {
      const StreamBrackets& brackets = *annotations_->of_annotations(track);
      const LayoutItem* const item = item_of(brackets.stream);
      const std::optional<std::uint32_t> lane = bracket_lane(*trace_, brackets, slice);
      if (item == nullptr || !lane || *lane >= item->brackets) return {};
      return {item, item->top_px + bracket_top(*item, *lane), measures_.annotation_lane_px};
    }
  }
  return place_of(row_of(slice));
}

RowId TrackLayout::row_of(SliceId slice) const {
  if (packed_ != nullptr && packed_->holds(slice)) {
    const RowId row = packed_->row_of(slice);
    const Track& track = packed_->tracks[index_of(rows().row_at(row).track) - packed_->first_track];
    if (process_packed_[track.process] != 0) return row;
  }
  return trace_->row_of(slice);
}

bool reveal(Arrangement& arrangement, const ShownRows& rows, RowId row, const LayoutMeasures& measures) {
  const Arrangement before = arrangement;
  const std::uint32_t index = index_of(rows.row_at(row).track);
  const Track& track = rows.track_at(index);
  arrangement.group_open[track.process] = 1;
  arrangement.set_hidden(index, false);
  if (!filter_matches(arrangement.filter, rows.trace->processes[track.process], track,
                      arrangement.tracks[index].title))
    arrangement.filter.clear();
  if (arrangement.idle[index] != 0 && !arrangement.is_pinned(index)) arrangement.idle_open[track.process] = 1;
  TrackFold& fold = arrangement.tracks[index].fold;
  const std::uint32_t lane = index_of(row) - track.first_row;
  if (fold != TrackFold::merged) {
    for (const TrackFold next : {TrackFold::capped, TrackFold::open}) {
      if (lane < lanes_shown(track.row_count, fold, measures)) break;
      fold = next;
    }
  }
  return !(arrangement == before);
}

}  // namespace kino
