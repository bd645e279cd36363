#include "core/gpu/launch_times.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/parallel.hpp"
#include "core/base/run_merge_sort.hpp"
#include "core/base/saturating.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {

LaunchTimes::LaunchTimes(const Trace& trace, const std::stop_token& stop) {
  const GpuWork work = gpu_work_in(trace, whole_range(trace), stop);
  std::vector<Launched> all;
  all.reserve(work.size());
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) all.push_back({0, slice});
  }
  const std::size_t pieces = (all.size() + kCancelStride - 1) / kCancelStride;
  parallel_for(thread_count_or_default(0), pieces, stop, [&](std::size_t piece, unsigned) {
    const std::size_t end = std::min(all.size(), (piece + 1) * kCancelStride);
    for (std::size_t i = piece * kCancelStride; i < end; ++i) {
      Launched& it = all[i];
      const SliceId owner = owner_of(trace, it.work);
      const SliceId launch = trace.slices.link[index_of(it.work)];
      const SliceId known = launch != kNoSlice ? launch : owner;
      it.launch_known = known != kNoSlice;
      it.owned = owner != kNoSlice;
      it.at_ns = trace.slices.start_ns[index_of(it.launch_known ? known : it.work)];
    }
  });
  run_merge_sort(
      all.data(), all.size(), [](const Launched& a, const Launched& b) { return a.at_ns < b.at_ns; },
      [&] { return stop.stop_requested(); });
  if (stop.stop_requested()) return;
  Sums sum;
  before_.reserve(all.size() + 1);
  for (const Launched& it : all) {
    before_.push_back(sum);
    const std::int64_t duration_ns = trace.slices.duration_ns[index_of(it.work)];
    add_saturating(sum.coverage.all_ns, duration_ns);
    if (it.owned) add_saturating(sum.coverage.known_ns, duration_ns);
    if (!it.launch_known) add_saturating(sum.unknown_ns, duration_ns);
  }
  before_.push_back(sum);
  launched_ = std::move(all);
}

LaunchTimes::Span LaunchTimes::span_of(TimeRange range) const {
  const auto place = [&](std::int64_t time_ns) {
    const auto at =
        std::lower_bound(launched_.begin(), launched_.end(), time_ns,
                         [](const Launched& it, std::int64_t wanted) { return it.at_ns < wanted; });
    return static_cast<std::size_t>(at - launched_.begin());
  };
  const std::size_t first = place(range.begin_ns);
  return {first, std::max(first, place(range.end_ns))};
}

GpuWork LaunchTimes::launched_in(const Trace& trace, TimeRange range) const {
  const Span span = span_of(range);
  std::map<TrackId, std::vector<SliceId>> by_track;  // in display order
  for (std::size_t i = span.first; i < span.last; ++i) {
    if (!launched_[i].launch_known) continue;
    const SliceId slice = launched_[i].work;
    by_track[trace.rows[index_of(trace.row_of(slice))].track].push_back(slice);
  }
  GpuWork work;
  for (auto& [track, slices] : by_track) {
    std::sort(slices.begin(), slices.end(), [&](SliceId a, SliceId b) {
      const auto key = [&](SliceId id) {
        return std::tuple(trace.slices.start_ns[index_of(id)], trace.end_ns(id),
                          trace.slices.source_offset[index_of(id)]);
      };
      return key(a) < key(b);
    });
    work.streams.push_back({track, std::move(slices)});
  }
  return work;
}

LaunchCoverage LaunchTimes::coverage(TimeRange range, bool unknown_too) const {
  if (before_.empty()) return {};
  const Span span = span_of(range);
  const Sums& from = before_[span.first];
  const Sums& to = before_[span.last];
  LaunchCoverage coverage{saturating_subtract(to.coverage.known_ns, from.coverage.known_ns),
                          saturating_subtract(to.coverage.all_ns, from.coverage.all_ns)};
  if (!unknown_too) subtract_saturating(coverage.all_ns, saturating_subtract(to.unknown_ns, from.unknown_ns));
  return coverage;
}

}  // namespace kino
