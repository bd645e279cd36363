#include "core/tables/serving/part_timeline.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <queue>

#include "core/base/parallel.hpp"
#include "core/trace/links/runtime_calls.hpp"

namespace kino {
namespace {

using Ranges = std::vector<TimeRange>;

/// Sorts ranges and joins those that overlap or touch.
void unite(Ranges& ranges) {
  std::ranges::sort(ranges, {}, &TimeRange::begin_ns);
  std::size_t kept = 0;
  for (const TimeRange& range : ranges) {
    if (range.length_ns() <= 0) continue;
    if (kept > 0 && range.begin_ns <= ranges[kept - 1].end_ns) {
      ranges[kept - 1].end_ns = std::max(ranges[kept - 1].end_ns, range.end_ns);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
}

/// Times in which a thread waits for the GPU: in calls that wait by name, and in copies that end no earlier
/// than their own work.
std::map<TrackId, Ranges> waits_by_thread(const Trace& trace, std::span<const WorkPiece> pieces,
                                          const std::stop_token& stop) {
  std::map<TrackId, Ranges> waits;
  for (const WorkPiece& piece : pieces) {
    if (!piece.launched()) continue;
    Ranges& thread = waits[piece.thread];
    if (!piece.kernel && piece.launch_range.end_ns >= piece.range.end_ns)
      thread.push_back(piece.launch_range);
  }
  std::vector<bool> waiting(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) waiting[i] = waits_for_gpu(trace.names[i]);
  std::uint32_t visited = 0;
  for (auto& [thread, ranges] : waits) {
    const Track& track = trace.track(thread);
    for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
      const Row& slices = trace.rows[row];
      for (std::uint32_t i = slices.first_slice; i < slices.first_slice + slices.slice_count; ++i) {
        if (++visited % kCancelStride == 0 && stop.stop_requested()) return waits;
        const bool waits_here =
            trace.slices.kind[i] == SliceKind::runtime && waiting[index_of(trace.slices.name[i])];
        if (waits_here) ranges.push_back(trace.range_of(SliceId{i}));
      }
    }
    unite(ranges);
  }
  return waits;
}

/// Classes of parts, in order of preference.
std::size_t class_of(IterationPart part) {
  if (part == IterationPart::copy) return 2;
  return is_compute(part) ? 0 : 1;
}

/// Builds the stretches of one device in order of time.
class StretchBuilder {
 public:
  StretchBuilder(const Trace& trace, std::vector<WorkPiece> pieces, std::span<const TimeRange> marks,
                 const std::stop_token& stop)
      : pieces_(std::move(pieces)),
        marks_(marks),
        waits_(waits_by_thread(trace, pieces_, stop)),
        stop_(stop) {}

  std::vector<PartStretch> build() {
    if (pieces_.empty()) return {};
    std::int64_t at_ns = pieces_.front().range.begin_ns;
    while (!stop_.stop_requested()) {
      for (; next_ < pieces_.size() && pieces_[next_].range.begin_ns <= at_ns; ++next_) start(next_);
      const std::int64_t next_start_ns =
          next_ < pieces_.size() ? pieces_[next_].range.begin_ns : std::numeric_limits<std::int64_t>::max();
      const std::optional<std::size_t> owner = owner_at(at_ns);
      if (!owner && next_ == pieces_.size()) break;
      const std::int64_t end_ns =
          owner ? std::min(pieces_[*owner].range.end_ns, next_start_ns) : next_start_ns;
      if (owner) {
        add({at_ns, end_ns}, pieces_[*owner].part);
      } else {
        add_idle({at_ns, end_ns}, pieces_[next_]);
      }
      at_ns = end_ns;
    }
    return std::move(stretches_);
  }

 private:
  /// Indices of running pieces; the earliest started is on top.
  using Running = std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>;

  void start(std::size_t piece) {
    if (pieces_[piece].range.length_ns() > 0) running_[class_of(pieces_[piece].part)].push(piece);
  }

  /// Returns the piece that the moment belongs to; nullopt if nothing runs.
  std::optional<std::size_t> owner_at(std::int64_t at_ns) {
    for (Running& running : running_) {
      while (!running.empty() && pieces_[running.top()].range.end_ns <= at_ns) running.pop();
      if (!running.empty()) return running.top();
    }
    return std::nullopt;
  }

  void add(TimeRange range, IterationPart part) {
    if (range.length_ns() <= 0) return;
    if (!stretches_.empty() && stretches_.back().part == part) {
      stretches_.back().range.end_ns = range.end_ns;
    } else {
      stretches_.push_back({range, part});
    }
  }

  /// Divides idle time by the launch of the work that ends it.
  void add_idle(TimeRange idle, const WorkPiece& next) {
    if (!next.launched()) {
      add(idle, IterationPart::idle_unknown);
      return;
    }
    const std::int64_t launch_ns = std::clamp(next.launch_range.begin_ns, idle.begin_ns, idle.end_ns);
    add_before_launch({idle.begin_ns, launch_ns}, waits_.at(next.thread));
    add({launch_ns, idle.end_ns},
        next.replayed ? IterationPart::idle_graph_launch : IterationPart::idle_launch);
  }

  void add_before_launch(TimeRange idle, const Ranges& waits) {
    auto wait = std::ranges::upper_bound(waits, idle.begin_ns, {}, &TimeRange::end_ns);
    for (std::int64_t at_ns = idle.begin_ns; at_ns < idle.end_ns;) {
      const bool waiting = wait != waits.end() && wait->begin_ns <= at_ns;
      const std::int64_t change_ns = wait == waits.end() ? idle.end_ns
                                     : waiting           ? wait->end_ns
                                                         : wait->begin_ns;
      const TimeRange part{at_ns, std::min(idle.end_ns, change_ns)};
      if (waiting) {
        add(part, IterationPart::idle_sync);
        ++wait;
      } else {
        add_by_marks(part);
      }
      at_ns = part.end_ns;
    }
  }

  void add_by_marks(TimeRange idle) {
    auto mark = std::ranges::upper_bound(marks_, idle.begin_ns, {}, &TimeRange::end_ns);
    for (std::int64_t at_ns = idle.begin_ns; at_ns < idle.end_ns;) {
      const bool inside = mark != marks_.end() && mark->begin_ns <= at_ns;
      const std::int64_t change_ns = mark == marks_.end() ? idle.end_ns
                                     : inside             ? mark->end_ns
                                                          : mark->begin_ns;
      const TimeRange part{at_ns, std::min(idle.end_ns, change_ns)};
      add(part, inside ? IterationPart::idle_host : IterationPart::idle_scheduler);
      if (inside) ++mark;
      at_ns = part.end_ns;
    }
  }

  const std::vector<WorkPiece> pieces_;
  const std::span<const TimeRange> marks_;
  const std::map<TrackId, Ranges> waits_;
  const std::stop_token& stop_;
  std::array<Running, 3> running_;
  std::size_t next_ = 0;  // first piece that has not started
  std::vector<PartStretch> stretches_;
};

}  // namespace

PartTimeline::PartTimeline(const Trace& trace, const ServingWork& work, std::uint32_t device,
                           std::span<const TimeRange> marks, const std::stop_token& stop) {
  std::vector<WorkPiece> pieces;
  std::ranges::copy_if(work.pieces, std::back_inserter(pieces),
                       [&](const WorkPiece& piece) { return piece.device == device; });
  stretches_ = StretchBuilder(trace, std::move(pieces), marks, stop).build();
}

IterationTimes PartTimeline::times(TimeRange range) const {
  IterationTimes times;
  std::int64_t known_ns = 0;
  auto stretch = std::ranges::upper_bound(stretches_, range.begin_ns, {},
                                          [](const PartStretch& part) { return part.range.end_ns; });
  for (; stretch != stretches_.end() && stretch->range.begin_ns < range.end_ns; ++stretch) {
    const std::int64_t begin_ns = std::max(range.begin_ns, stretch->range.begin_ns);
    const std::int64_t part_ns = std::min(range.end_ns, stretch->range.end_ns) - begin_ns;
    times[stretch->part] += part_ns;
    known_ns += part_ns;
  }
  times[IterationPart::idle_unknown] += range.length_ns() - known_ns;
  return times;
}

}  // namespace kino
