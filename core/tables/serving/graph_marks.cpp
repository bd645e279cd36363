#include "core/tables/serving/graph_marks.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/trace/links/runtime_calls.hpp"

namespace kino {
namespace {

/// Returns the pieces of all launches or of one thread's, in order of thread and launch.
std::vector<WorkPiece> by_launch(const ServingWork& work) {
  std::vector<WorkPiece> pieces;
  pieces.reserve(work.pieces.size());
  std::ranges::copy_if(work.pieces, std::back_inserter(pieces), &WorkPiece::launched);
  std::ranges::stable_sort(pieces, {}, [](const WorkPiece& piece) {
    return std::tuple(index_of(piece.thread), piece.launch_range.begin_ns, index_of(piece.launch));
  });
  return pieces;
}

/// Returns the pieces that `thread` launched in [begin_ns, end_ns). O(log pieces).
std::span<const WorkPiece> launched_in(std::span<const WorkPiece> pieces, TrackId thread, TimeRange range) {
  const auto key = [](const WorkPiece& piece) {
    return std::pair(index_of(piece.thread), piece.launch_range.begin_ns);
  };
  const auto first = std::ranges::lower_bound(pieces, std::pair(index_of(thread), range.begin_ns), {}, key);
  const auto last = std::ranges::lower_bound(pieces, std::pair(index_of(thread), range.end_ns), {}, key);
  return {first, std::max(first, last)};
}

bool is_whole_model(KernelCounter& kernels, std::span<const WorkPiece> pieces) {
  kernels.clear();
  for (const WorkPiece& piece : pieces) kernels.add(piece);
  return kernels.whole_model();
}

bool is_compiled_graph(std::string_view name) {
  constexpr std::string_view kBegin = "## Call CompiledFxGraph ";
  constexpr std::string_view kEnd = " ##";
  return name.starts_with(kBegin) && name.ends_with(kEnd) && name.size() > kBegin.size() + kEnd.size();
}

/// Calls by name, which contains the key, and thread.
using GraphCalls = std::map<std::pair<NameId, TrackId>, std::vector<IterationMark>>;

GraphCalls compiled_graph_calls(const Trace& trace, const std::stop_token& stop) {
  std::vector<bool> names(trace.names.size());
  bool any = false;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    names[i] = is_compiled_graph(trace.names[i]);
    any = any || names[i];
  }
  GraphCalls calls;
  if (!any) return calls;
  std::uint32_t visited = 0;
  for (const Row& row : trace.rows) {
    if (trace.track(row.track).kind != TrackKind::cpu_thread) continue;
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (++visited % kCancelStride == 0 && stop.stop_requested()) return {};
      if (!names[index_of(trace.slices.name[i])]) continue;
      calls[{trace.slices.name[i], row.track}].push_back(
          {trace.range_of(SliceId{i}), SliceId{i}, IterationPhase::unknown, {}});
    }
  }
  return calls;
}

/// One graph launch and its pieces.
struct Replay {
  TimeRange call;
  std::span<const WorkPiece> pieces;
  bool whole_model = false;
};

/// Returns the graph launches of the thread with the most replayed work, in order.
std::vector<Replay> replays_of_engine(std::span<const WorkPiece> pieces, KernelCounter& kernels) {
  std::map<TrackId, std::int64_t> replayed_ns;
  for (const WorkPiece& piece : pieces) {
    if (piece.replayed) add_saturating(replayed_ns[piece.thread], piece.range.length_ns());
  }
  std::vector<Replay> replays;
  if (replayed_ns.empty()) return replays;
  const TrackId engine = std::ranges::max_element(replayed_ns, [](const auto& a, const auto& b) {
                           return a.second < b.second;
                         })->first;
  for (std::size_t i = 0; i < pieces.size();) {
    std::size_t last = i + 1;
    while (last < pieces.size() && pieces[last].launch == pieces[i].launch) ++last;
    if (pieces[i].replayed && pieces[i].thread == engine) {
      const auto part = pieces.subspan(i, last - i);
      replays.push_back({pieces[i].launch_range, part, is_whole_model(kernels, part)});
    }
    i = last;
  }
  return replays;
}

/// Calls of the engine's thread after which the host has a result, in order of end.
struct ResultCalls {
  std::vector<TimeRange> copies;  // that copy to the host
  std::vector<TimeRange> waits;

  /// Returns the end of the last copy between two times or, without one, of the last wait; nullopt without
  /// either.
  std::optional<std::int64_t> last_end(std::int64_t begin_ns, std::int64_t end_ns) const {
    for (const std::vector<TimeRange>* const calls : {&copies, &waits}) {
      const auto after = std::ranges::upper_bound(*calls, end_ns, {}, &TimeRange::end_ns);
      if (after == calls->begin()) continue;
      const TimeRange& last = *std::prev(after);
      if (last.begin_ns >= begin_ns) return last.end_ns;
    }
    return std::nullopt;
  }
};

ResultCalls result_calls(const Trace& trace, std::span<const WorkPiece> pieces, TrackId thread,
                         const std::stop_token& stop) {
  ResultCalls calls;
  for (const WorkPiece& piece : pieces) {
    if (piece.to_host && piece.thread == thread) calls.copies.push_back(piece.launch_range);
  }
  const Track& track = trace.track(thread);
  std::uint32_t visited = 0;
  for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
    const Row& slices = trace.rows[row];
    for (std::uint32_t i = slices.first_slice; i < slices.first_slice + slices.slice_count; ++i) {
      if (++visited % kCancelStride == 0 && stop.stop_requested()) return calls;
      const SliceId slice{i};
      if (trace.kind(slice) == SliceKind::runtime && waits_for_gpu(trace.name_of(slice)))
        calls.waits.push_back(trace.range_of(slice));
    }
  }
  std::ranges::sort(calls.copies, {}, &TimeRange::end_ns);
  std::ranges::sort(calls.waits, {}, &TimeRange::end_ns);
  return calls;
}

/// Returns the launch after the longest pause of the GPU between two replays; the second one's at the latest.
std::int64_t launch_after_longest_pause(std::span<const WorkPiece> pieces, const Replay& first,
                                        const Replay& second) {
  const TrackId thread = second.pieces.front().thread;
  const auto between = launched_in(pieces, thread, {first.call.begin_ns, second.call.begin_ns});
  std::vector<WorkPiece> ordered(between.begin(), between.end());
  ordered.insert(ordered.end(), second.pieces.begin(), second.pieces.end());
  std::erase_if(ordered,
                [&](const WorkPiece& piece) { return piece.launch_range.begin_ns <= first.call.begin_ns; });
  std::ranges::stable_sort(ordered, {}, [](const WorkPiece& piece) { return piece.range.begin_ns; });
  std::int64_t busy_until_ns = 0;
  bool busy = false;
  for (const WorkPiece& piece : first.pieces) {
    busy_until_ns = busy ? std::max(busy_until_ns, piece.range.end_ns) : piece.range.end_ns;
    busy = true;
  }
  std::int64_t longest_ns = -1;
  std::int64_t launch_ns = second.call.begin_ns;
  for (const WorkPiece& piece : ordered) {
    const std::int64_t pause_ns = std::max<std::int64_t>(0, piece.range.begin_ns - busy_until_ns);
    if (pause_ns > longest_ns) {
      longest_ns = pause_ns;
      launch_ns = piece.launch_range.begin_ns;
    }
    busy_until_ns = std::max(busy_until_ns, piece.range.end_ns);
  }
  return launch_ns;
}

/// Consecutive replays of one iteration.
struct ReplayGroup {
  std::int64_t begin_ns = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

std::vector<ReplayGroup> grouped_replays(std::span<const WorkPiece> pieces,
                                         const std::vector<Replay>& replays, const ResultCalls& results) {
  std::vector<ReplayGroup> groups;
  for (std::size_t i = 0; i < replays.size(); ++i) {
    const std::int64_t call_ns = replays[i].call.begin_ns;
    const std::int64_t after_ns =
        i == 0 ? std::numeric_limits<std::int64_t>::min() : replays[i - 1].call.begin_ns;
    const std::optional<std::int64_t> result_ns = results.last_end(after_ns, call_ns);
    if (i == 0 || result_ns) {
      groups.push_back({result_ns.value_or(call_ns), i, i + 1});
    } else if (replays[i].whole_model && replays[i - 1].whole_model) {
      groups.push_back({launch_after_longest_pause(pieces, replays[i - 1], replays[i]), i, i + 1});
    } else {
      groups.back().last = i + 1;
    }
  }
  return groups;
}

}  // namespace

UnmarkedIterations compiled_graph_marks(const Trace& trace, const ServingWork& work,
                                        const std::stop_token& stop) {
  GraphCalls calls = compiled_graph_calls(trace, stop);
  if (calls.empty()) return {};
  const std::vector<WorkPiece> pieces = by_launch(work);
  KernelCounter kernels(trace);
  UnmarkedIterations best;
  for (auto& [key, marks] : calls) {
    keep_disjoint(marks);
    if (stop.stop_requested()) return {};
    if (marks.size() < 2 || marks.size() <= best.marks.size()) continue;
    const TrackId thread = key.second;
    const bool whole = std::ranges::all_of(marks, [&](IterationMark& mark) {
      const auto part = launched_in(pieces, thread, mark.range);
      mark.phase = guessed_phase(part);
      return is_whole_model(kernels, part);
    });
    if (whole) best = {std::move(marks), trace.track(thread).process};
  }
  return best;
}

UnmarkedIterations replay_marks(const Trace& trace, const ServingWork& work, const std::stop_token& stop) {
  const std::vector<WorkPiece> pieces = by_launch(work);
  KernelCounter kernels(trace);
  const std::vector<Replay> replays = replays_of_engine(pieces, kernels);
  UnmarkedIterations found;
  if (replays.empty() || stop.stop_requested()) return found;
  const TrackId engine = replays.front().pieces.front().thread;
  const ResultCalls results = result_calls(trace, pieces, engine, stop);
  for (const ReplayGroup& group : grouped_replays(pieces, replays, results)) {
    std::vector<WorkPiece> replayed;
    for (const Replay& replay : std::span(replays).subspan(group.first, group.last - group.first))
      replayed.insert(replayed.end(), replay.pieces.begin(), replay.pieces.end());
    if (!is_whole_model(kernels, replayed)) continue;
    IterationMark mark;
    mark.range = {group.begin_ns, replays[group.last - 1].call.end_ns};
    mark.phase = guessed_phase(replayed);
    found.marks.push_back(mark);
  }
  found.process = trace.track(engine).process;
  return found;
}

}  // namespace kino
