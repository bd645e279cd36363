#include "core/critical/thread_lines.hpp"

#include <algorithm>
#include <utility>

#include "core/base/host_words.hpp"
#include "core/base/step_words.hpp"
#include "core/critical/waiting_calls.hpp"
#include "core/tables/track_slices.hpp"
#include "core/trace/links/busy_time.hpp"
#include "core/trace/links/call_nesting.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/runtime_calls.hpp"

namespace kino {
namespace {

/// A thread that may belong to a line.
struct LineThread {
  std::uint32_t track = 0;
  std::uint64_t launches = 0;
  bool holds_steps = false;
  std::vector<TimeRange> busy;  // merged ranges of operators and calls
  TimeRange range;
};

/// Properties of names, by NameId.
struct PieceNames {
  explicit PieceNames(const Trace& trace)
      : loader(trace.names.size()),
        gc(trace.names.size()),
        step(trace.names.size()),
        call(trace.names.size()) {
    for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
      const std::string_view name = trace.names[i];
      loader[i] =
          name.starts_with("enumerate(DataLoader)") || name.starts_with("enumerate(DataPipe)") ? 1 : 0;
      step[i] = is_step_name(name) ? 1 : 0;
      gc[i] = is_garbage_collection(name) ? 1 : 0;
      call[i] = changes_gpu_memory(name) ? PathCause::memory_call : PathCause::runtime_call;
    }
  }
  std::vector<std::uint8_t> loader;
  std::vector<std::uint8_t> gc;
  std::vector<std::uint8_t> step;
  std::vector<PathCause> call;  // cause of a runtime call of this name
};

bool is_activity(SliceKind kind) {
  return kind == SliceKind::cpu_op || kind == SliceKind::runtime || kind == SliceKind::python ||
         kind == SliceKind::annotation;
}

/// Whether GPU work of the call was recorded. Waits that are recorded on the GPU are not work.
bool launches_work(const Trace& trace, SliceId call) {
  const SliceId work = trace.link(call);
  return work != kNoSlice && is_gpu_work(trace.kind(work));
}

/// Returns the cause of the self time of a slice.
PathCause own_cause(const Trace& trace, SliceId slice, const PieceNames& names,
                    std::span<const SliceId> waits) {
  const std::uint32_t name = index_of(trace.name(slice));
  switch (trace.kind(slice)) {
    case SliceKind::runtime:
      if (std::ranges::binary_search(waits, slice)) return PathCause::sync_call;
      return launches_work(trace, slice) ? PathCause::launch_call : names.call[name];
    case SliceKind::cpu_op:
      return names.gc[name] != 0 ? PathCause::gc : PathCause::op;
    case SliceKind::python:
      return names.gc[name] != 0 ? PathCause::gc : PathCause::python;
    default:
      return names.gc[name] != 0 ? PathCause::gc : PathCause::annotation;
  }
}

/// Innermost events of one thread, as pieces in order of time.
class PieceSweep {
 public:
  PieceSweep(const Trace& trace, const PieceNames& names, std::span<const SliceId> waits)
      : trace_(trace), names_(names), waits_(waits) {}

  std::vector<LinePiece> pieces(const Track& track, const std::stop_token& stop) {
    for (const SliceId slice : slices_by_start(trace_, track, whole_range(trace_), stop)) {
      if (!is_activity(trace_.kind(slice)) || names_.step[index_of(trace_.name(slice))] != 0) continue;
      close_until(trace_.start_ns(slice));
      open(slice);
    }
    close_until(INT64_MAX);
    return std::move(pieces_);
  }

 private:
  struct Open {
    std::int64_t end_ns = 0;
    LinePiece piece;
  };

  void put(std::int64_t begin_ns, LinePiece piece) {
    piece.begin_ns = begin_ns;
    if (!pieces_.empty() && pieces_.back().begin_ns == begin_ns) {
      pieces_.back() = piece;
    } else {
      pieces_.push_back(piece);
    }
  }

  void close_until(std::int64_t time_ns) {
    while (!open_.empty() && open_.back().end_ns <= time_ns) {
      const std::int64_t end_ns = open_.back().end_ns;
      while (!open_.empty() && open_.back().end_ns <= end_ns) open_.pop_back();
      put(end_ns, open_.empty() ? LinePiece{} : open_.back().piece);
    }
  }

  void open(SliceId slice) {
    if (trace_.duration_ns(slice) <= 0) return;
    LinePiece piece{0, slice, own_cause(trace_, slice, names_, waits_)};
    const LinePiece* around = open_.empty() ? nullptr : &open_.back().piece;
    if (around != nullptr && (around->cause == PathCause::loader || around->cause == PathCause::gc)) {
      piece = *around;
    } else if (names_.loader[index_of(trace_.name(slice))] != 0) {
      piece.cause = PathCause::loader;
    }
    put(trace_.start_ns(slice), piece);
    open_.push_back({trace_.end_ns(slice), piece});
  }

  const Trace& trace_;
  const PieceNames& names_;
  std::span<const SliceId> waits_;
  std::vector<Open> open_;
  std::vector<LinePiece> pieces_;
};

/// Returns the precedence of a piece among the threads of a line.
int precedence(PathCause cause) {
  if (cause == PathCause::silent) return 0;
  const bool wraps =
      cause == PathCause::loader || cause == PathCause::python || cause == PathCause::annotation;
  return wraps ? 1 : 2;
}

/// Merges the pieces of two threads. At equal precedence, the event that started later applies.
std::vector<LinePiece> merged_pieces(const Trace& trace, const std::vector<LinePiece>& first,
                                     const std::vector<LinePiece>& second) {
  std::vector<LinePiece> merged;
  merged.reserve(first.size() + second.size());
  std::size_t a = 0;
  std::size_t b = 0;
  while (a < first.size() || b < second.size()) {
    const std::int64_t at_ns = std::min(a < first.size() ? first[a].begin_ns : INT64_MAX,
                                        b < second.size() ? second[b].begin_ns : INT64_MAX);
    if (a < first.size() && first[a].begin_ns == at_ns) ++a;
    if (b < second.size() && second[b].begin_ns == at_ns) ++b;
    const LinePiece of_first = a > 0 ? first[a - 1] : LinePiece{};
    const LinePiece of_second = b > 0 ? second[b - 1] : LinePiece{};
    const auto rank = [&](const LinePiece& piece) {
      return std::pair(precedence(piece.cause),
                       piece.slice == kNoSlice ? INT64_MIN : trace.start_ns(piece.slice));
    };
    LinePiece piece = rank(of_second) > rank(of_first) ? of_second : of_first;
    piece.begin_ns = at_ns;
    if (!merged.empty() && merged.back().slice == piece.slice && merged.back().cause == piece.cause) continue;
    merged.push_back(piece);
  }
  return merged;
}

/// Returns the threads with GPU launches or steps; without such threads, the one with the most operators and
/// calls.
std::vector<LineThread> line_threads(const Trace& trace, const Steps& steps, const std::stop_token& stop) {
  std::vector<LineThread> threads;
  LineThread busiest;
  std::size_t most = 0;
  std::vector<std::uint8_t> holds(trace.tracks.size());
  for (const Step& step : steps.steps) holds[index_of(trace.track_of(step.slice))] = 1;
  for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
    if (trace.tracks[i].kind != TrackKind::cpu_thread || stop.stop_requested()) continue;
    LineThread thread{i, 0, holds[i] != 0, {}, {INT64_MAX, INT64_MIN}};
    std::size_t events = 0;
    for_each_slice_of(trace, trace.tracks[i], stop, [&](SliceId slice) {
      const SliceKind kind = trace.kind(slice);
      if (!is_activity(kind)) return;
      thread.range = {std::min(thread.range.begin_ns, trace.start_ns(slice)),
                      std::max(thread.range.end_ns, trace.end_ns(slice))};
      if (kind != SliceKind::cpu_op && kind != SliceKind::runtime) return;
      ++events;
      append_range(thread.busy, trace.range_of(slice));
      if (launches_work(trace, slice)) ++thread.launches;
    });
    if (thread.range.begin_ns > thread.range.end_ns) continue;
    thread.busy = united(std::move(thread.busy));
    if (thread.launches > 0 || thread.holds_steps) {
      threads.push_back(std::move(thread));
    } else if (events > most) {
      most = events;
      busiest = std::move(thread);
    }
  }
  if (threads.empty() && most > 0) threads.push_back(std::move(busiest));
  std::ranges::stable_sort(threads, [](const LineThread& a, const LineThread& b) {
    return std::pair(a.holds_steps, a.launches) > std::pair(b.holds_steps, b.launches);
  });
  return threads;
}

/// Times in which a line or thread is in operators and calls.
struct BusyTimes {
  std::vector<TimeRange> ranges;  // united
  std::int64_t length_ns = 0;

  explicit BusyTimes(std::vector<TimeRange> united_ranges)
      : ranges(std::move(united_ranges)), length_ns(length_of(ranges)) {}
};

/// Returns the length of the overlap. O(n log m + overlaps), with n the smaller number of ranges.
std::int64_t overlap_ns(const BusyTimes& a, const BusyTimes& b) {
  if (a.ranges.size() > b.ranges.size()) return overlap_ns(b, a);
  std::int64_t sum_ns = 0;
  for (const TimeRange& range : a.ranges) {
    auto at = std::ranges::upper_bound(b.ranges, range.begin_ns, {}, &TimeRange::end_ns);
    for (; at != b.ranges.end() && at->begin_ns < range.end_ns; ++at)
      sum_ns += std::min(at->end_ns, range.end_ns) - std::max(at->begin_ns, range.begin_ns);
  }
  return sum_ns;
}

/// Whether two threads take turns: they overlap by at most 1 % of the shorter sum.
bool take_turns(const BusyTimes& a, const BusyTimes& b) {
  return overlap_ns(a, b) <= std::min(a.length_ns, b.length_ns) / 100;
}

std::vector<TimeRange> bursts_of(std::span<const TimeRange> busy) {
  std::vector<TimeRange> bursts;
  for (const TimeRange& range : busy) {
    if (bursts.empty() || range.begin_ns - bursts.back().end_ns >= ThreadLine::kBurstSilenceNs) {
      bursts.push_back(range);
    } else {
      bursts.back().end_ns = std::max(bursts.back().end_ns, range.end_ns);
    }
  }
  return bursts;
}

}  // namespace

std::vector<ThreadLine> thread_lines(const Trace& trace, const Steps& steps, std::span<const SliceId> waits,
                                     const std::stop_token& stop) {
  const std::vector<LineThread> threads = line_threads(trace, steps, stop);
  const PieceNames names(trace);
  std::vector<ThreadLine> lines;
  std::vector<BusyTimes> joined;
  for (const LineThread& thread : threads) {
    if (stop.stop_requested()) return lines;
    const BusyTimes busy(thread.busy);
    std::size_t line = 0;
    while (line < lines.size() && !take_turns(joined[line], busy)) ++line;
    if (line == ThreadLine::kMostLines) continue;
    const Track& track = trace.tracks[thread.track];
    std::vector<LinePiece> pieces = PieceSweep(trace, names, waits).pieces(track, stop);
    if (line == lines.size()) {
      lines.push_back({{TrackId{thread.track}}, std::move(pieces), {}, thread.range});
      joined.push_back(busy);
      continue;
    }
    ThreadLine& to = lines[line];
    to.tracks.push_back(TrackId{thread.track});
    to.pieces = merged_pieces(trace, to.pieces, pieces);
    to.range = {std::min(to.range.begin_ns, thread.range.begin_ns),
                std::max(to.range.end_ns, thread.range.end_ns)};
    std::vector<TimeRange> both = std::move(joined[line].ranges);
    both.insert(both.end(), busy.ranges.begin(), busy.ranges.end());
    joined[line] = BusyTimes(united(std::move(both)));
  }
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].bursts = bursts_of(joined[i].ranges);
  return lines;
}

}  // namespace kino
