#include "core/tables/name_stats/range_projection.hpp"

#include <algorithm>
#include <unordered_map>

namespace kino {
namespace {

/// A launch call, and the extent and number of the work it launched.
struct Call {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  TimeRange work;
  std::int64_t operations = 0;
};

/// Calls that launched work, by track, in order of start.
class Calls {
 public:
  Calls(const Trace& trace, const std::stop_token& stop) : by_track_(trace.tracks.size()) {
    std::unordered_map<std::uint32_t, std::size_t> indices;  // by call, into the list of its track
    for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
      if (i % 4096 == 0 && stop.stop_requested()) return;
      const SliceId launch = trace.slices.link[i];
      if (!is_gpu_work(trace.slices.kind[i]) || launch == kNoSlice) continue;
      std::vector<Call>& calls = by_track_[index_of(trace.track_of(launch))];
      const auto [found, added] = indices.try_emplace(index_of(launch), calls.size());
      const TimeRange work{trace.slices.start_ns[i], trace.end_ns(SliceId{i})};
      if (added) calls.push_back({trace.start_ns(launch), trace.end_ns(launch), work, 0});
      Call& call = calls[found->second];
      call.work = {std::min(call.work.begin_ns, work.begin_ns), std::max(call.work.end_ns, work.end_ns)};
      ++call.operations;
    }
    for (std::vector<Call>& calls : by_track_) std::ranges::sort(calls, {}, &Call::start_ns);
  }

  const std::vector<Call>& of(TrackId track) const { return by_track_[index_of(track)]; }

 private:
  std::vector<std::vector<Call>> by_track_;
};

/// Returns the thread to which the ranges on track `beside` belong. NVTX ranges that are ended by a handle
/// are on a separate track, named after their thread. Returns `beside` if there is no such thread.
TrackId thread_of(const Trace& trace, TrackId beside) {
  const Track& own = trace.track(beside);
  const std::string_view tid = std::string_view(own.tid).substr(0, std::string_view(own.tid).find(' '));
  const Process& process = trace.processes[own.process];
  for (std::uint32_t i = process.first_track; i < process.first_track + process.track_count; ++i) {
    const Track& track = trace.tracks[i];
    if (track.kind == TrackKind::cpu_thread && std::string_view(track.tid) == tid) return TrackId{i};
  }
  return beside;
}

}  // namespace

std::vector<ProjectedRange> projected_ranges(const Trace& trace, TimeRange range,
                                             const std::stop_token& stop) {
  const Calls calls(trace, stop);
  std::vector<ProjectedRange> projected;
  for_each_marked_range(trace, range, stop, [&](const MarkedRange& marked) {
    const bool by_handle = marked.style == "StartEnd";
    const std::vector<Call>& made = calls.of(by_handle ? thread_of(trace, marked.track) : marked.track);
    const std::int64_t begin_ns = trace.start_ns(marked.slice);
    const std::int64_t end_ns = trace.end_ns(marked.slice);
    ProjectedRange result{marked, {}, 0};
    for (auto call = std::ranges::lower_bound(made, begin_ns, {}, &Call::start_ns);
         call != made.end() && call->start_ns <= end_ns; ++call) {
      if (call->end_ns > end_ns) continue;
      result.gpu = result.operations == 0 ? call->work
                                          : TimeRange{std::min(result.gpu.begin_ns, call->work.begin_ns),
                                                      std::max(result.gpu.end_ns, call->work.end_ns)};
      result.operations += call->operations;
    }
    if (result.operations > 0) projected.push_back(result);
  });
  if (stop.stop_requested()) return {};
  return projected;
}

}  // namespace kino
