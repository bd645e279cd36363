#include "core/tables/serving/iteration_windows.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/serving/part_timeline.hpp"
#include "core/tables/serving/work_names.hpp"

namespace kino {
namespace {

/// A piece of work, and the iteration that it belongs to.
struct OwnPiece {
  std::size_t iteration = 0;
  const WorkPiece* piece = nullptr;
};

/// Returns the own work of all iterations, in order of start.
std::vector<OwnPiece> own_work(const ServingWork& work, std::optional<std::uint32_t> process,
                               const std::vector<Iteration>& list) {
  std::vector<OwnPiece> own;
  for (const WorkPiece& piece : work.pieces) {
    if (process && (!piece.launched() || piece.process != *process)) continue;
    const std::int64_t at_ns = process ? piece.launch_range.begin_ns : piece.range.begin_ns;
    const auto after = std::ranges::upper_bound(
        list, at_ns, {}, [](const Iteration& iteration) { return iteration.mark.begin_ns; });
    if (after != list.begin())
      own.push_back({static_cast<std::size_t>(std::prev(after) - list.begin()), &piece});
  }
  return own;
}

/// Returns the stream with the most kernel time, the first one of several; nullopt without kernels.
std::optional<TrackId> main_stream(const std::vector<OwnPiece>& own) {
  std::map<TrackId, std::int64_t> kernel_ns;
  for (const OwnPiece& part : own) {
    if (part.piece->kernel) add_saturating(kernel_ns[part.piece->stream], part.piece->range.length_ns());
  }
  const auto most =
      std::ranges::max_element(kernel_ns, [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == kernel_ns.end() ? std::nullopt : std::optional(most->first);
}

/// Extent of the own work of one iteration.
struct WorkExtent {
  bool any = false;
  bool launched = false;
  std::int64_t end_ns = 0;
  std::int64_t first_ns = 0;  // of the first kernel on the main stream, if there is one
  SliceId first = kNoSlice;
};

/// Sums up the own work by iteration. Graph launches are counted separately.
std::vector<WorkExtent> work_extents(const std::vector<OwnPiece>& own, TrackId stream,
                                     std::vector<Iteration>& list) {
  std::vector<WorkExtent> extents(list.size());
  for (const OwnPiece& part : own) {
    WorkExtent& extent = extents[part.iteration];
    Iteration& iteration = list[part.iteration];
    const TimeRange range = part.piece->range;
    const std::int64_t new_from_ns = extent.any ? std::max(extent.end_ns, range.begin_ns) : range.begin_ns;
    iteration.busy_ns += std::max<std::int64_t>(0, range.end_ns - new_from_ns);
    extent.end_ns = extent.any ? std::max(extent.end_ns, range.end_ns) : range.end_ns;
    extent.any = true;
    extent.launched = extent.launched || part.piece->launched();
    if (!part.piece->kernel) continue;
    ++iteration.kernels;
    if (part.piece->stream != stream || extent.first != kNoSlice) continue;
    extent.first = part.piece->slice;
    extent.first_ns = range.begin_ns;
  }
  return extents;
}

void count_graph_launches(const std::vector<OwnPiece>& own, std::vector<Iteration>& list) {
  std::vector<std::pair<std::size_t, SliceId>> launches;
  for (const OwnPiece& part : own) {
    const std::pair launch(part.iteration, part.piece->launch);
    if (part.piece->replayed && (launches.empty() || launches.back() != launch)) launches.push_back(launch);
  }
  std::ranges::sort(launches);
  launches.erase(std::unique(launches.begin(), launches.end()), launches.end());
  for (const auto& [iteration, launch] : launches) ++list[iteration].graph_launches;
}

/// Sets windows from the first kernels on the main stream. If a file's times contradict the order of the
/// marks, windows are shortened, so that they remain disjoint.
void set_windows(const std::vector<WorkExtent>& extents, std::vector<Iteration>& list) {
  Iteration* before = nullptr;
  std::int64_t before_end_ns = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Iteration& iteration = list[i];
    const WorkExtent& extent = extents[i];
    if (extent.first == kNoSlice) {
      iteration.left_out = LeftOut::no_window;
      continue;
    }
    std::int64_t begin_ns = extent.first_ns;
    if (before != nullptr) {
      begin_ns = std::max(begin_ns, before->window->begin_ns);
      before->window->end_ns = begin_ns;
      before->complete = true;
    }
    before_end_ns = std::max(begin_ns, extent.end_ns);
    iteration.window = TimeRange{begin_ns, begin_ns};
    iteration.first_kernel = extent.first;
    iteration.gpu_span_ns = before_end_ns - begin_ns;
    before = &iteration;
  }
  if (before == nullptr) return;
  before->window->end_ns = before_end_ns;
  before->left_out = LeftOut::cut;
}

/// Sets windows from mark to mark, for a trace without GPU work.
void set_cpu_windows(std::vector<Iteration>& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool last = i + 1 == list.size();
    Iteration& iteration = list[i];
    iteration.window = {iteration.mark.begin_ns, last ? iteration.mark.end_ns : list[i + 1].mark.begin_ns};
    iteration.complete = !last;
    if (last) iteration.left_out = LeftOut::cut;
    iteration.times[IterationPart::idle_host] = std::min(iteration.mark.length_ns(), iteration.window_ns());
    iteration.times[IterationPart::idle_scheduler] =
        iteration.window_ns() - iteration.times[IterationPart::idle_host];
  }
}

/// Leaves out iterations in whose mark a call prepares code.
void find_preparing_calls(const Trace& trace, std::optional<std::uint32_t> process,
                          std::vector<Iteration>& list, const std::stop_token& stop) {
  std::vector<bool> names(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) names[i] = prepares_code(trace.names[i]);
  std::vector<SliceId> calls;
  std::uint32_t visited = 0;
  for (const Row& row : trace.rows) {
    if (process && trace.track(row.track).process != *process) continue;
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (++visited % kCancelStride == 0 && stop.stop_requested()) return;
      if (trace.slices.kind[i] == SliceKind::runtime && names[index_of(trace.slices.name[i])])
        calls.push_back(SliceId{i});
    }
  }
  const auto start = [&](SliceId call) { return trace.start_ns(call); };
  std::ranges::stable_sort(calls, {}, start);
  for (Iteration& iteration : list) {
    if (iteration.left_out != LeftOut::none) continue;
    const auto first = std::ranges::lower_bound(calls, iteration.mark.begin_ns, {}, start);
    if (first == calls.end() || trace.start_ns(*first) >= iteration.mark.end_ns) continue;
    iteration.left_out = LeftOut::prepares_code;
    iteration.prepares = *first;
  }
}

}  // namespace

void add_windows(const Trace& trace, const ServingWork& work, std::optional<std::uint32_t> process,
                 bool hide_calls, Iterations& iterations, const std::stop_token& stop) {
  std::vector<Iteration>& list = iterations.list;
  if (list.empty()) return;
  if (work.pieces.empty()) {
    set_cpu_windows(list);
  } else {
    const std::vector<OwnPiece> own = own_work(work, process, list);
    const std::optional<TrackId> stream = main_stream(own);
    const std::vector<WorkExtent> extents = work_extents(own, stream.value_or(kNoTrack), list);
    count_graph_launches(own, list);
    set_windows(extents, list);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!extents[i].launched) continue;
      const std::uint32_t graphs = list[i].graph_launches;
      list[i].launched_by = graphs == 0   ? LaunchedBy::eager
                            : graphs == 1 ? LaunchedBy::graph
                                          : LaunchedBy::piecewise;
    }
    if (stream && !stop.stop_requested()) {
      iterations.device = trace.track(*stream).process;
      std::vector<TimeRange> marks;
      marks.reserve(list.size());
      for (const Iteration& iteration : list) marks.push_back(iteration.mark);
      const PartTimeline timeline(trace, work, *iterations.device, marks, stop);
      for (Iteration& iteration : list) {
        if (iteration.window) iteration.times = timeline.times(*iteration.window);
      }
    }
  }
  if (!hide_calls) find_preparing_calls(trace, process, list, stop);
}

}  // namespace kino
