#include "core/tables/gpu/launch_times.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "core/base/parallel.hpp"
#include "core/base/run_merge_sort.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {
namespace {

Launcher launcher_of(const Trace& trace, SliceId work, SliceId owner) {
  if (owner == kNoSlice) return trace.link(work) == kNoSlice ? Launcher::unknown : Launcher::call;
  SliceId at = owner;
  while (at != kNoSlice && trace.kind(at) != SliceKind::cpu_op) at = trace.parent(at);
  return at == kNoSlice ? Launcher::range : Launcher::op;
}

void add_launched(LaunchCoverage& sum, Launcher launcher, std::int64_t duration_ns) {
  add_saturating(sum.all_ns, duration_ns);
  if (launcher == Launcher::op) add_saturating(sum.known_ns, duration_ns);
  if (launcher == Launcher::range) add_saturating(sum.range_ns, duration_ns);
  if (launcher != Launcher::unknown) add_saturating(sum.launched_ns, duration_ns);
}

}  // namespace

LaunchCoverage launch_coverage(const Trace& trace, const GpuWork& work, const std::stop_token& stop) {
  std::vector<std::span<const SliceId>> pieces;
  for (const StreamWork& stream : work.streams) {
    std::span<const SliceId> rest(stream.slices);
    while (!rest.empty()) {
      const std::size_t length = std::min<std::size_t>(rest.size(), kCancelStride);
      pieces.push_back(rest.first(length));
      rest = rest.subspan(length);
    }
  }
  std::vector<LaunchCoverage> sums(pieces.size());
  parallel_for(thread_count_or_default(0), pieces.size(), stop, [&](std::size_t piece, unsigned) {
    for (const SliceId slice : pieces[piece]) {
      add_launched(sums[piece], launcher_of(trace, slice, owner_of(trace, slice)), trace.duration_ns(slice));
    }
  });
  LaunchCoverage all;
  for (const LaunchCoverage& sum : sums) {
    add_saturating(all.known_ns, sum.known_ns);
    add_saturating(all.all_ns, sum.all_ns);
    add_saturating(all.range_ns, sum.range_ns);
    add_saturating(all.launched_ns, sum.launched_ns);
  }
  return all;
}

Message launch_coverage_note(const LaunchCoverage& coverage) {
  if (coverage.all_ns <= 0 || coverage.launched_ns <= 0) return {};
  const auto share = [&](std::int64_t ns) {
    return text_from_share(static_cast<double>(ns) / static_cast<double>(coverage.all_ns));
  };
  if (coverage.known_ns == 0 && coverage.range_ns > 0) {
    return Message(msg::of_gpu_time_was_launched_in, share(coverage.range_ns))
        .then(msg::no_launching_operator_is_recorded);
  }
  return {msg::of_gpu_time_has_a_launching, share(coverage.known_ns)};
}

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
      Launched& piece_of_work = all[i];
      const SliceId owner = owner_of(trace, piece_of_work.work);
      const SliceId launch = trace.link(piece_of_work.work);
      const SliceId known = launch != kNoSlice ? launch : owner;
      piece_of_work.launcher = launcher_of(trace, piece_of_work.work, owner);
      piece_of_work.at_ns = trace.start_ns(known == kNoSlice ? piece_of_work.work : known);
    }
  });
  run_merge_sort(
      all.data(), all.size(), [](const Launched& a, const Launched& b) { return a.at_ns < b.at_ns; },
      [&] { return stop.stop_requested(); });
  if (stop.stop_requested()) return;
  LaunchCoverage sum;
  before_.reserve(all.size() + 1);
  for (const Launched& launched : all) {
    before_.push_back(sum);
    add_launched(sum, launched.launcher, trace.duration_ns(launched.work));
  }
  before_.push_back(sum);
  launched_ = std::move(all);
}

LaunchTimes::Span LaunchTimes::span_of(TimeRange range) const {
  const auto index_at = [&](std::int64_t time_ns) {
    const auto at = std::ranges::lower_bound(launched_, time_ns, {}, &Launched::at_ns);
    return static_cast<std::size_t>(at - launched_.begin());
  };
  const std::size_t first = index_at(range.begin_ns);
  return {first, std::max(first, index_at(range.end_ns))};
}

GpuWork LaunchTimes::launched_in(const Trace& trace, TimeRange range) const {
  const Span span = span_of(range);
  std::map<TrackId, std::vector<SliceId>> by_track;  // in display order
  for (std::size_t i = span.first; i < span.last; ++i) {
    if (launched_[i].launcher == Launcher::unknown) continue;
    const SliceId slice = launched_[i].work;
    by_track[trace.track_of(slice)].push_back(slice);
  }
  GpuWork work;
  for (auto& [track, slices] : by_track) {
    std::ranges::sort(slices, {}, [&](SliceId slice) {
      return std::tuple(trace.start_ns(slice), trace.end_ns(slice), trace.source_offset(slice));
    });
    work.streams.push_back({track, std::move(slices)});
  }
  return work;
}

LaunchCoverage LaunchTimes::coverage(TimeRange range, bool unknown_too) const {
  if (before_.empty()) return {};
  const Span span = span_of(range);
  const LaunchCoverage& from = before_[span.first];
  const LaunchCoverage& to = before_[span.last];
  LaunchCoverage coverage{
      saturating_subtract(to.known_ns, from.known_ns), saturating_subtract(to.all_ns, from.all_ns),
      saturating_subtract(to.range_ns, from.range_ns), saturating_subtract(to.launched_ns, from.launched_ns)};
  if (!unknown_too) coverage.all_ns = coverage.launched_ns;
  return coverage;
}

}  // namespace kino
