#include "core/trace/flow_links.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/run_merge_sort.hpp"
#include "core/trace/row_window.hpp"
#include "core/trace/trace.hpp"

namespace kino {
namespace {

/// A flow event; `slice` is kNoSlice until the slice is found. 32 bytes.
struct End {
  std::int64_t time_ns;
  std::uint64_t id;
  std::uint64_t source_offset;
  SliceId slice;
  CategoryId category;
  std::uint8_t order;  // 0: s, 1: t, 2: f
  bool takes_next;     // f without bp "e"
};

/// Finds the slices of a track's flow events, which must be passed in order of time. The cursor of each lane
/// is its first slice that does not start before the last event.
class TrackSweep {
 public:
  TrackSweep(const Trace& trace, const Track& track)
      : trace_(trace), rows_(trace.rows.data() + track.first_row, track.row_count) {
    for (const Row& row : rows_) cursors_.push_back(row.first_slice);
  }

  /// Returns the slice of a flow event, or kNoSlice. Times must not descend between calls.
  SliceId slice_of(const End& end) { return end.takes_next ? next_slice(end) : enclosing_slice(end); }

 private:
  /// Returns the first slice of the lane that starts at or after `time_ns`, which must not descend between
  /// calls.
  std::uint32_t seek(std::size_t lane, std::int64_t time_ns) {
    const std::uint32_t last = rows_[lane].first_slice + rows_[lane].slice_count;
    return cursors_[lane] = next_start_at(trace_, cursors_[lane], last, time_ns);
  }

  SliceId next_slice(const End& end) {
    SliceId best = kNoSlice;
    for (std::size_t lane = 0; lane < rows_.size(); ++lane) {
      const std::uint32_t at = seek(lane, end.time_ns);
      if (at == rows_[lane].first_slice + rows_[lane].slice_count) continue;
      if (best == kNoSlice || trace_.slices.start_ns[at] < trace_.start_ns(best)) best = SliceId{at};
    }
    return best;
  }

  SliceId enclosing_slice(const End& end) {
    SliceId starting = kNoSlice;
    SliceId covering = kNoSlice;
    const auto& slices = trace_.slices;
    for (std::size_t lane = rows_.size(); lane-- > 0;) {
      const std::uint32_t at = seek(lane, end.time_ns);
      const std::uint32_t last = rows_[lane].first_slice + rows_[lane].slice_count;
      if (at < last && slices.start_ns[at] == end.time_ns) {
        const SliceId nearest = nearest_starting(at, last, end);
        if (starting == kNoSlice || closer(end.source_offset, nearest, starting)) starting = nearest;
      }
      if (covering == kNoSlice && at > rows_[lane].first_slice &&
          trace_.end_ns(SliceId{at - 1}) > end.time_ns) {
        covering = SliceId{at - 1};
      }
    }
    return starting != kNoSlice ? starting : covering;
  }

  /// Returns the slice for `end` among the slices of one row that start at its time; `first` is the first of
  /// them. If there are several, all but the last have no length, and they are in the order of the file.
  /// O(log n).
  SliceId nearest_starting(std::uint32_t first, std::uint32_t last, const End& end) const {
    const auto& starts = trace_.slices.start_ns;
    const auto& offsets = trace_.slices.source_offset;
    if (first + 1 == last || starts[first + 1] != end.time_ns) return SliceId{first};
    const auto* const same_end = std::upper_bound(starts.begin() + first, starts.begin() + last, end.time_ns);
    const auto* const after = std::lower_bound(
        offsets.begin() + first, offsets.begin() + (same_end - starts.begin()), end.source_offset);
    const auto at = static_cast<std::uint32_t>(after - offsets.begin());
    return SliceId{at > first ? at - 1 : first};
  }

  /// Whether `a` is a better match than `b` for a flow end at `offset`.
  bool closer(std::uint64_t offset, SliceId a, SliceId b) const {
    const std::uint64_t at_a = trace_.source_offset(a);
    const std::uint64_t at_b = trace_.source_offset(b);
    if ((at_a < offset) != (at_b < offset)) return at_a < offset;
    return at_a < offset ? at_a > at_b : at_a < at_b;
  }

  const Trace& trace_;
  std::span<const Row> rows_;
  std::vector<std::uint32_t> cursors_;
};

/// The flow events grouped by track; the last group has no track. resolve_flows() sorts the other groups by
/// time.
struct EndsByTrack {
  Column<End> ends;
  std::vector<std::size_t> begin;  // index of each group's first event; last: the count
};

EndsByTrack group_by_track(const Trace& trace, const RecordList<FlowPoint>& points) {
  EndsByTrack result;
  const std::size_t tracks = trace.tracks.size();
  result.begin.assign(tracks + 2, 0);
  const auto place = [tracks](TrackId track) { return std::min<std::size_t>(index_of(track), tracks); };
  for (const auto& block : points.blocks()) {
    for (const FlowPoint& point : block.span()) ++result.begin[place(point.track) + 1];
  }
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  std::vector<std::size_t> next = result.begin;
  result.ends = Column<End>(points.size());
  for (const auto& block : points.blocks()) {
    for (const FlowPoint& point : block.span()) {
      const std::uint8_t order = point.phase == 's' ? 0 : point.phase == 't' ? 1 : 2;
      const bool takes_next = point.phase == 'f' && !point.binds_enclosing;
      End& end = result.ends[next[place(point.track)]++];
      end = {point.time_ns, point.id, point.source_offset, kNoSlice, point.category, order, takes_next};
    }
  }
  return result;
}

/// Returns the indices of the events grouped by (category, id), in order of time, then of the file. Sorts
/// small hash buckets, which takes a third of the time of one big sort for 360,000 events.
Column<std::uint32_t> group_by_id(const Column<End>& ends) {
  const std::size_t n = ends.size();
  const int bits = std::bit_width(n / 4);
  const auto bucket_of = [bits](const End& end) {
    const std::uint64_t mixed = (end.id + index_of(end.category)) * 0x9E3779B97F4A7C15ULL;
    return bits == 0 ? std::uint64_t{0} : mixed >> (64 - bits);
  };
  std::vector<std::uint32_t> begin((std::size_t{1} << bits) + 1, 0);
  for (const End& end : ends) ++begin[bucket_of(end) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  Column<std::uint32_t> order(n);
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (std::uint32_t i = 0; i < n; ++i) order[next[bucket_of(ends[i])]++] = i;
  const auto before = [&ends](std::uint32_t a, std::uint32_t b) {
    const End& x = ends[a];
    const End& y = ends[b];
    return std::tie(x.category, x.id, x.time_ns, x.source_offset, x.order) <
           std::tie(y.category, y.id, y.time_ns, y.source_offset, y.order);
  };
  for (std::size_t bucket = 0; bucket + 1 < begin.size(); ++bucket) {
    std::sort(order.data() + begin[bucket], order.data() + begin[bucket + 1], before);
  }
  return order;
}

struct Arrow {
  SliceId from;
  SliceId to;
  CategoryId category;
  bool operator<(const Arrow& other) const {
    return std::tie(from, to, category) < std::tie(other.from, other.to, other.category);
  }
};

/// Joins the flow events of one (category, id) and counts events without a partner.
class Joiner {
 public:
  Joiner(const Column<SliceId>& links, DamageLog& damage) : links_(links), damage_(damage) {}

  void join(const Column<End>& ends, std::span<const std::uint32_t> group) {
    joined_.assign(group.size(), false);
    std::size_t source = group.size();
    for (std::size_t i = 0; i < group.size(); ++i) {
      const End& end = ends[group[i]];
      if (end.order != 0 && source < group.size()) connect(ends, group, source, i);
      if (end.order != 2) source = i;
    }
    if (group.size() == 2 && ends[group[0]].order == 2 && ends[group[1]].order == 0)
      connect(ends, group, 1, 0);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const End& end = ends[group[i]];
      if (!joined_[i]) {
        damage_.add(lonely_reason(end, i + 1 < group.size()), end.source_offset, "");
      } else if (end.slice == kNoSlice) {
        damage_.add(DamageReason::flow_without_slice, end.source_offset, "");
      }
    }
  }

  std::vector<Arrow> take() { return std::move(arrows_); }

 private:
  void connect(const Column<End>& ends, std::span<const std::uint32_t> group, std::size_t a, std::size_t b) {
    joined_[a] = joined_[b] = true;
    const End& from = ends[group[a]];
    const End& to = ends[group[b]];
    if (from.slice == kNoSlice || to.slice == kNoSlice) return;
    if (links_[index_of(to.slice)] == from.slice) return;  // a launch link, in SliceColumns::link
    arrows_.push_back({from.slice, to.slice, from.category});
  }

  /// Returns the reason why `end` has no arrow. If a start without an arrow is followed by another event,
  /// that event is also a start; any other type would have been joined.
  static DamageReason lonely_reason(const End& end, bool followed) {
    if (end.order != 0) return DamageReason::flow_without_start;
    return followed ? DamageReason::flow_begun_again : DamageReason::flow_without_partner;
  }

  const Column<SliceId>& links_;
  DamageLog& damage_;
  std::vector<Arrow> arrows_;
  std::vector<bool> joined_;
};

FlowLinks columns_of(std::vector<Arrow> arrows) {
  std::sort(arrows.begin(), arrows.end());
  FlowLinks links;
  const std::size_t n = arrows.size();
  links.from = column_of(arrows, &Arrow::from);
  links.to = column_of(arrows, &Arrow::to);
  links.category = column_of(arrows, &Arrow::category);
  links.by_to = Column<std::uint32_t>(n);
  std::vector<std::uint64_t> keys(n);  // target and index in one word: sorts twice as fast as an index
  for (std::uint32_t i = 0; i < n; ++i) keys[i] = std::uint64_t{index_of(arrows[i].to)} << 32 | i;
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 0; i < n; ++i) links.by_to[i] = static_cast<std::uint32_t>(keys[i]);
  return links;
}

}  // namespace

std::size_t FlowLinks::size_bytes() const {
  return from.size_bytes() + to.size_bytes() + category.size_bytes() + by_to.size_bytes() +
         launched.size_bytes();
}

ArrowRange flows_from(const Trace& trace, SliceId slice) {
  const Column<SliceId>& from = trace.flows.from;
  const auto [first, last] = std::equal_range(from.begin(), from.end(), slice);
  return {static_cast<std::uint32_t>(first - from.begin()), static_cast<std::uint32_t>(last - from.begin())};
}

std::span<const std::uint32_t> flows_to(const Trace& trace, SliceId slice) {
  const FlowLinks& flows = trace.flows;
  const auto target_of = [&](std::uint32_t arrow) { return flows.to[arrow]; };
  return {std::ranges::lower_bound(flows.by_to, slice, {}, target_of),
          std::ranges::upper_bound(flows.by_to, slice, {}, target_of)};
}

std::span<const SliceId> launched_by(const Trace& trace, SliceId launch) {
  if (is_on_gpu(trace.kind(launch)) || trace.link(launch) == kNoSlice) return {};
  const Column<SliceId>& launched = trace.flows.launched;
  const auto launch_of = [&](SliceId gpu) { return trace.link(gpu); };
  const auto* const first = std::ranges::lower_bound(launched, launch, {}, launch_of);
  const auto* const last = std::ranges::upper_bound(launched, launch, {}, launch_of);
  if (first != last) return {first, last};
  return trace.slices.link.sub(index_of(launch), 1);
}

FlowLinks resolve_flows(const Trace& trace, const RecordList<FlowPoint>& points, unsigned threads,
                        const std::stop_token& stop, DamageLog& damage) {
  EndsByTrack grouped = group_by_track(trace, points);
  Column<End>& ends = grouped.ends;
  parallel_for(threads, trace.tracks.size(), stop, [&](std::size_t track, unsigned) {
    const std::span<End> own =
        ends.span().subspan(grouped.begin[track], grouped.begin[track + 1] - grouped.begin[track]);
    run_merge_sort(
        own.data(), own.size(), [](const End& a, const End& b) { return a.time_ns < b.time_ns; },
        [&stop] { return stop.stop_requested(); });
    TrackSweep sweep(trace, trace.tracks[track]);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return;
      own[i].slice = sweep.slice_of(own[i]);
    }
  });
  if (stop.stop_requested()) return {};
  const Column<std::uint32_t> order = group_by_id(ends);
  Joiner joiner(trace.slices.link, damage);
  for (std::size_t first = 0; first < order.size();) {
    if (stop.stop_requested()) return {};
    const End& head = ends[order[first]];
    std::size_t last = first + 1;
    while (last < order.size() && ends[order[last]].id == head.id &&
           ends[order[last]].category == head.category) {
      ++last;
    }
    joiner.join(ends, order.sub(first, last - first));
    first = last;
  }
  return columns_of(joiner.take());
}

FlowLinks with_arrows(FlowLinks links, std::span<const std::pair<SliceId, SliceId>> from_to,
                      CategoryId category) {
  std::vector<Arrow> arrows;
  arrows.reserve(links.size() + from_to.size());
  for (std::size_t i = 0; i < links.size(); ++i)
    arrows.push_back({links.from[i], links.to[i], links.category[i]});
  for (const auto& [from, to] : from_to) arrows.push_back({from, to, category});
  FlowLinks all = columns_of(std::move(arrows));
  all.launched = std::move(links.launched);
  return all;
}

FlowLinks without_arrows(FlowLinks links, std::span<const std::uint32_t> dropped) {
  std::vector<Arrow> arrows;
  arrows.reserve(links.size());
  auto next = dropped.begin();
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    while (next != dropped.end() && *next < i) ++next;
    if (next == dropped.end() || *next != i)
      arrows.push_back({links.from[i], links.to[i], links.category[i]});
  }
  FlowLinks rest = columns_of(std::move(arrows));
  rest.launched = std::move(links.launched);
  return rest;
}

Column<SliceId> launch_index(const Trace& trace, std::vector<SliceId> gpu_work) {
  const auto key = [&](SliceId gpu) { return std::tuple(trace.link(gpu), trace.start_ns(gpu), gpu); };
  std::ranges::sort(gpu_work, {}, key);
  gpu_work.erase(std::unique(gpu_work.begin(), gpu_work.end()), gpu_work.end());
  return column_of(gpu_work, std::identity());
}

}  // namespace kino
