#include "core/tables/analysis/range_summary.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/run_merge_sort.hpp"
#include "core/base/saturating.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kRangePieceSlices = 1U << 15;

struct RangePiece {
  RowId row{};
  SliceWindow window;
};

/// A child that is not in the lane directly below its parent's. It may overlap other children of that parent.
struct Spilled {
  SliceId parent{};
  std::uint32_t slice = 0;
};

struct Worker {
  NameSums names;
  std::vector<Spilled> spilled;
};

/// Adds each slice's time to its own name and subtracts it from its parent's self time. Children that are not
/// directly below their parent are collected in `worker.spilled` instead.
void sum_piece(const Trace& trace, const RangePiece& piece, TimeRange range, const ChosenSlices& chosen,
               Worker& worker) {
  const Row& row = trace.row(piece.row);
  const bool whole = chosen.whole(row.track);
  // First slice of the lane above: the rows of a track are consecutive.
  const std::uint32_t above = row.lane == 0 ? 0 : trace.rows[index_of(piece.row) - 1].first_slice;
  worker.names.prepare(trace);
  for (std::uint32_t i = piece.window.first; i < piece.window.last; ++i) {
    const std::int64_t ns = clipped_ns(trace, i, range);
    if (whole || chosen.holds(row.track, SliceId{i})) {
      worker.names.of(trace, i).add(trace, SliceId{i}, ns);
    }
    const SliceId parent = trace.slices.parent[i];
    if (parent == kNoSlice || !(whole || chosen.holds(row.track, parent))) continue;
    if (index_of(parent) >= above) {
      subtract_saturating(worker.names.of(trace, index_of(parent)).self_ns, ns);
    } else {
      worker.spilled.push_back({parent, i});
    }
  }
}

/// Subtracts from the parent's self time the time of spilled children that the children in the lane directly
/// below do not cover.
void subtract_spilled(const Trace& trace, std::span<const Spilled> family, TimeRange range, NameSums& names) {
  const SliceId parent = family.front().parent;
  std::vector<std::uint32_t> children;
  const RowId row = trace.row_of(parent);
  const Row& below = trace.rows[index_of(row) + 1];
  const SliceWindow window = row_window(trace, below, trace.range_of(parent));
  std::int64_t taken_ns = 0;
  for (std::uint32_t i = window.first; i < window.last; ++i) {
    if (trace.slices.parent[i] != parent) continue;
    children.push_back(i);
    add_saturating(taken_ns, clipped_ns(trace, i, range));
  }
  for (const Spilled& spilled : family) children.push_back(spilled.slice);
  std::sort(children.begin(), children.end(), [&](std::uint32_t a, std::uint32_t b) {
    return trace.slices.start_ns[a] < trace.slices.start_ns[b];
  });
  std::int64_t covered_ns = 0;
  std::int64_t until_ns = range.begin_ns;
  for (const std::uint32_t child : children) {
    covered_ns += clipped_ns(trace, child, {until_ns, range.end_ns});
    until_ns = std::max(until_ns, trace.end_ns(SliceId{child}));
  }
  subtract_saturating(names.of(trace, index_of(parent)).self_ns, saturating_subtract(covered_ns, taken_ns));
}

/// Returns the time within `range` in which the stream has work; concurrent work counts once.
std::int64_t busy_ns(const Trace& trace, TrackId id, TimeRange range, const ChosenSlices& chosen,
                     const std::stop_token& stop) {
  const Track& track = trace.track(id);
  const SliceColumns& slices = trace.slices;
  std::vector<TimeRange> busy;
  std::int64_t sum_ns = 0;
  for (const Row& row : std::span(trace.rows).subspan(track.first_row, track.row_count)) {
    const SliceWindow window = row_window(trace, row, range);
    for (std::uint32_t i = window.first; i < window.last; ++i) {
      if (i % kRangePieceSlices == 0 && stop.stop_requested()) return 0;
      if (!is_gpu_work(slices.kind[i]) || !chosen.holds(id, SliceId{i})) continue;
      if (track.row_count == 1) {
        sum_ns += clipped_ns(trace, i, range);  // slices of a row do not overlap
        continue;
      }
      const SliceId parent = slices.parent[i];
      const bool covered = parent != kNoSlice && is_gpu_work(trace.kind(parent)) && chosen.holds(id, parent);
      if (covered) continue;
      busy.push_back(
          {std::max(range.begin_ns, slices.start_ns[i]), std::min(range.end_ns, trace.end_ns(SliceId{i}))});
    }
  }
  if (track.row_count == 1) return sum_ns;
  // Each row is sorted: merging the runs is several times faster than sorting.
  run_merge_sort(
      busy.data(), busy.size(),
      [](const TimeRange& a, const TimeRange& b) { return a.begin_ns < b.begin_ns; },
      [&stop] { return stop.stop_requested(); });
  std::int64_t union_ns = 0;
  std::int64_t until_ns = range.begin_ns;
  for (const TimeRange& interval : busy) {
    union_ns += std::max<std::int64_t>(0, interval.end_ns - std::max(interval.begin_ns, until_ns));
    until_ns = std::max(until_ns, interval.end_ns);
  }
  return union_ns;
}

TrackSet track_set_of(const Trace& trace, std::optional<std::span<const TrackId>> tracks) {
  TrackSet choice;
  if (tracks) {
    for (const TrackId track : *tracks) choice.tracks.push_back(index_of(track));
  } else {
    choice.tracks.resize(trace.tracks.size());
    std::iota(choice.tracks.begin(), choice.tracks.end(), 0U);
  }
  return choice;
}

std::vector<RangePiece> pieces_of(const Trace& trace, std::span<const TrackId> tracks, TimeRange range) {
  std::vector<RangePiece> pieces;
  if (range.end_ns <= range.begin_ns) return pieces;  // an empty range contains nothing
  for (const TrackId id : tracks) {
    const Track& track = trace.track(id);
    for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
      SliceWindow window = row_window(trace, trace.rows[row], range);
      while (window.first < window.last) {
        const std::uint32_t last = window.first + std::min(window.size(), kRangePieceSlices);
        pieces.push_back({RowId{row}, {window.first, last}});
        window.first = last;
      }
    }
  }
  return pieces;
}

void subtract_all_spilled(const Trace& trace, std::vector<Spilled> spilled, TimeRange range,
                          NameSums& names) {
  std::sort(spilled.begin(), spilled.end(), [](const Spilled& a, const Spilled& b) {
    return std::tie(a.parent, a.slice) < std::tie(b.parent, b.slice);
  });
  for (std::size_t first = 0; first < spilled.size();) {
    std::size_t last = first + 1;
    while (last < spilled.size() && spilled[last].parent == spilled[first].parent) ++last;
    subtract_spilled(trace, std::span(spilled).subspan(first, last - first), range, names);
    first = last;
  }
}

}  // namespace

double RangeSummary::share_of_range(std::int64_t ns) const {
  return range.length_ns() <= 0 ? 0 : static_cast<double>(ns) / static_cast<double>(range.length_ns());
}

double RangeSummary::share_of_gpu(std::int64_t ns) const {
  return gpu_work_ns == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(gpu_work_ns);
}

Result<RangeSummary> summarize_range(const Trace& trace, TimeRange range,
                                     std::optional<std::span<const TrackId>> tracks,
                                     const std::stop_token& stop, unsigned threads) {
  return summarize_range(trace, range, track_set_of(trace, tracks), stop, threads);
}

Result<RangeSummary> summarize_range(const Trace& trace, TimeRange range, const TrackSet& tracks,
                                     const std::stop_token& stop, unsigned threads) {
  threads = thread_count_or_default(threads);
  range.end_ns = std::max(range.begin_ns, range.end_ns);
  RangeSummary summary;
  summary.range = range;
  const ChosenSlices chosen(trace, tracks);
  for (const TrackId track : chosen.tracks()) {
    if (trace.track(track).kind == TrackKind::gpu_stream) summary.streams.push_back({track, 0, 0});
  }
  const std::vector<RangePiece> pieces = pieces_of(trace, chosen.tracks(), range);
  std::vector<Worker> workers(threads);
  parallel_for(threads, pieces.size(), stop, [&](std::size_t i, unsigned worker) {
    sum_piece(trace, pieces[i], range, chosen, workers[worker]);
  });
  parallel_for(threads, summary.streams.size(), stop, [&](std::size_t i, unsigned) {
    StreamBusy& stream = summary.streams[i];
    stream.busy_ns = busy_ns(trace, stream.track, range, chosen, stop);
    stream.idle_ns = range.length_ns() - stream.busy_ns;
  });
  if (stop.stop_requested()) return cancelled(msg::summing_up);
  NameSums& names = workers.front().names;
  std::vector<Spilled> spilled = std::move(workers.front().spilled);
  for (std::size_t i = 1; i < workers.size(); ++i) {
    names.merge(workers[i].names);
    spilled.insert(spilled.end(), workers[i].spilled.begin(), workers[i].spilled.end());
  }
  subtract_all_spilled(trace, std::move(spilled), range, names);
  summary.names = names.names(trace);
  for (const NameStats& row : summary.names) {
    summary.kinds[static_cast<std::size_t>(row.kind)].merge(row.stats);
    summary.all.merge(row.stats);
    if (is_gpu_work(row.kind)) add_saturating(summary.gpu_work_ns, row.stats.total_ns);
  }
  return summary;
}

}  // namespace kino
