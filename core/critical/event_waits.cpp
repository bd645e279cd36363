#include "core/critical/event_waits.hpp"

#include <algorithm>
#include <tuple>

#include "core/base/parallel.hpp"
#include "core/tables/track_slices.hpp"

namespace kino {
namespace {

/// Launched work of each stream in order of launch.
class LaunchOrder {
 public:
  LaunchOrder(const RankGraph& rank, const RankWork& works) : works_(works), by_stream_(rank.streams.size()) {
    for (const std::uint32_t work : works.by_launch) by_stream_[rank.works[work].stream].push_back(work);
  }
  std::size_t streams() const { return by_stream_.size(); }
  /// Returns the last work of the stream whose launch begins before `time_ns`, or kNone.
  std::uint32_t last_before(std::size_t stream, std::int64_t time_ns) const {
    const std::vector<std::uint32_t>& launched = by_stream_[stream];
    const auto after = std::ranges::lower_bound(
        launched, time_ns, {}, [&](std::uint32_t work) { return works_.call_begin_ns[work]; });
    return after == launched.begin() ? RankWork::kNone : *(after - 1);
  }

 private:
  const RankWork& works_;
  std::vector<std::vector<std::uint32_t>> by_stream_;
};

/// Returns the calls that make a stream wait for an event, in order of time.
std::vector<SliceId> wait_calls(const Trace& trace, const std::stop_token& stop) {
  std::vector<std::uint8_t> waits(trace.names.size());
  bool any = false;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    waits[i] = trace.names[i].ends_with("StreamWaitEvent") ? 1 : 0;
    any = any || waits[i] != 0;
  }
  std::vector<SliceId> calls;
  for (std::uint32_t i = 0; any && i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    if (trace.slices.kind[i] == SliceKind::runtime && waits[index_of(trace.slices.name[i])] != 0)
      calls.push_back(SliceId{i});
  }
  std::ranges::sort(calls, {}, [&](SliceId call) { return std::pair(trace.start_ns(call), call); });
  return calls;
}

/// Work by launching track, in order of launch.
using TrackLaunches = std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>;

void add_from_calls(const EdgeInputs& inputs, std::span<const SliceId> calls, std::vector<DraftEdge>& edges,
                    const std::stop_token& stop) {
  RankGraph& rank = inputs.rank;
  const RankWork& works = inputs.works;
  const LaunchOrder order(rank, works);
  if (order.streams() < 2) return;
  TrackLaunches launches;
  for (const std::uint32_t work : works.by_launch) launches[works.track[work]].push_back(work);
  for (const SliceId call : calls) {
    if (stop.stop_requested()) return;
    const auto thread = launches.find(index_of(rank.trace->track_of(call)));
    if (thread == launches.end()) continue;
    const std::int64_t call_ns = rank.time.common_ns(rank.trace->start_ns(call));
    const auto next = std::ranges::lower_bound(thread->second, call_ns, {},
                                               [&](std::uint32_t work) { return works.call_begin_ns[work]; });
    if (next == thread->second.end()) continue;
    std::uint32_t best = RankWork::kNone;
    for (std::size_t stream = 0; stream < order.streams(); ++stream) {
      if (stream == rank.works[*next].stream) continue;
      const std::uint32_t work = order.last_before(stream, call_ns);
      if (work == RankWork::kNone || works.end_ns[work] > works.start_ns[*next]) continue;
      if (best == RankWork::kNone || works.end_ns[work] > works.end_ns[best]) best = work;
    }
    if (best == RankWork::kNone) {
      ++rank.sourceless_waits;
      continue;
    }
    edges.push_back(
        {rank.start_of(*next), {rank.end_of(best), GraphEdge::kRecordedLag, EdgeKind::event_calls, 0}});
  }
}

}  // namespace

void add_event_waits(const EdgeInputs& inputs, std::vector<DraftEdge>& edges, const std::stop_token& stop) {
  const std::vector<SliceId> calls = wait_calls(*inputs.rank.trace, stop);
  if (!calls.empty()) add_from_calls(inputs, calls, edges, stop);
}

}  // namespace kino
