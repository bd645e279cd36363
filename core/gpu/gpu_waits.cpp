#include "core/gpu/gpu_waits.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/run_merge_sort.hpp"
#include "core/base/step_words.hpp"
#include "core/gpu/runtime_calls.hpp"
#include "core/gpu/trust_report.hpp"

namespace kino {
namespace {

TrackId thread_of(const Trace& trace, SliceId slice) {
  return trace.rows[index_of(trace.row_of(slice))].track;
}

class WaitFinder {
 public:
  WaitFinder(const Trace& trace, TimeRange window, const std::stop_token& stop)
      : trace_(trace), window_(window), stop_(stop), names_(trace.names.size()) {
    for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
      NameFacts& name = names_[i];
      name.waits = waits_for_gpu(trace.names[i]);
      name.launches = starts_gpu_work(trace.names[i]);
      name.step = is_step_name(trace.names[i]);  // operators of older writers
    }
  }

  std::vector<GpuWait> run() {
    const std::size_t pieces = (trace_.slice_count() + kCancelStride - 1) / kCancelStride;
    std::vector<Part> parts(pieces);
    parallel_for(thread_count_or_default(0), pieces, stop_, [&](std::size_t piece, unsigned) {
      const std::size_t end = std::min(trace_.slice_count(), (piece + 1) * kCancelStride);
      for (std::size_t i = piece * kCancelStride; i < end; ++i)
        look_at(static_cast<std::uint32_t>(i), parts[piece]);
    });
    std::vector<GpuWait> all;
    std::int64_t last_begin_ns = std::numeric_limits<std::int64_t>::min();
    for (const Part& part : parts) {
      all.insert(all.end(), part.waits.begin(), part.waits.end());
      last_begin_ns = std::max(last_begin_ns, part.last_begin_ns);
    }
    if (stop_.stop_requested()) return {};
    for (GpuWait& wait : all) {
      wait.at_the_end =
          trace_.slices.start_ns[index_of(wait.call)] > last_begin_ns && !in_operator(wait.call);
    }
    return outermost(std::move(all));
  }

 private:
  struct NameFacts {
    bool waits = false;
    bool launches = false;
    bool step = false;
  };
  struct Part {
    std::vector<GpuWait> waits;
    std::int64_t last_begin_ns = std::numeric_limits<std::int64_t>::min();
  };

  void look_at(std::uint32_t slice, Part& part) const {
    const SliceKind kind = trace_.slices.kind[slice];
    const bool call = kind == SliceKind::runtime;
    if (!call && kind != SliceKind::cpu_op) return;
    const NameFacts& name = names_[index_of(trace_.slices.name[slice])];
    if (call ? name.launches : !name.step)
      part.last_begin_ns = std::max(part.last_begin_ns, trace_.slices.start_ns[slice]);
    if (!call || !name.waits) return;
    const TimeRange time = clipped(window_, trace_.slices.start_ns[slice], trace_.end_ns(SliceId{slice}));
    if (time.length_ns() > 0) part.waits.push_back({thread_of(trace_, SliceId{slice}), time, SliceId{slice}});
  }

  bool in_operator(SliceId call) const {
    for (SliceId at = trace_.slices.parent[index_of(call)]; at != kNoSlice;
         at = trace_.slices.parent[index_of(at)]) {
      if (trace_.slices.kind[index_of(at)] == SliceKind::cpu_op &&
          !names_[index_of(trace_.slices.name[index_of(at)])].step) {
        return true;
      }
    }
    return false;
  }

  /// A call of the driver lies in the one of the runtime.
  static std::vector<GpuWait> outermost(std::vector<GpuWait> all) {
    std::stable_sort(all.begin(), all.end(), [](const GpuWait& a, const GpuWait& b) {
      return std::tuple(a.thread, a.time.begin_ns, -a.time.end_ns) <
             std::tuple(b.thread, b.time.begin_ns, -b.time.end_ns);
    });
    std::vector<GpuWait> kept;
    for (const GpuWait& wait : all) {
      const bool inside =
          !kept.empty() && kept.back().thread == wait.thread && wait.time.begin_ns < kept.back().time.end_ns;
      if (!inside) kept.push_back(wait);
    }
    return kept;
  }

  const Trace& trace_;
  const TimeRange window_;
  const std::stop_token& stop_;
  std::vector<NameFacts> names_;
};

/// How long the thread waits for the GPU in a gap. O(log waits + those in the gap).
std::int64_t waited_in(const std::vector<GpuWait>& waits, TrackId thread, TimeRange gap) {
  auto at = std::lower_bound(waits.begin(), waits.end(), std::pair(thread, gap.begin_ns),
                             [](const GpuWait& wait, const std::pair<TrackId, std::int64_t>& wanted) {
                               return std::pair(wait.thread, wait.time.end_ns) < wanted;
                             });
  std::int64_t sum = 0;
  for (; at != waits.end() && at->thread == thread && at->time.begin_ns < gap.end_ns; ++at)
    sum += clipped(gap, at->time.begin_ns, at->time.end_ns).length_ns();
  return sum;
}

}  // namespace

std::vector<GpuWait> gpu_waits(const Trace& trace, TimeRange window, const std::stop_token& stop) {
  return WaitFinder(trace, window, stop).run();
}

LateLaunches late_launches(const Trace& trace, std::span<const StreamWork> streams, TimeRange window,
                           const TimeRoles& roles, const std::vector<GpuWait>& waits,
                           const std::stop_token& stop) {
  std::vector<SliceId> slices;
  for (const StreamWork& stream : streams)
    slices.insert(slices.end(), stream.slices.begin(), stream.slices.end());
  const auto start_of = [&](SliceId slice) { return trace.slices.start_ns[index_of(slice)]; };
  run_merge_sort(
      slices.data(), slices.size(), [&](SliceId a, SliceId b) { return start_of(a) < start_of(b); },
      [&] { return stop.stop_requested(); });
  LateLaunches late;
  std::int64_t longest_ns = 0;
  std::int64_t idle_from = window.begin_ns;
  for (const SliceId slice : slices) {
    const TimeRange gap{idle_from, start_of(slice)};
    idle_from = std::max(idle_from, trace.end_ns(slice));
    if (gap.end_ns >= window.end_ns) break;
    const SliceId launch = trace.slices.link[index_of(slice)];
    if (gap.length_ns() <= 0 || launch == kNoSlice || start_of(launch) <= gap.begin_ns) continue;
    // Calls of the runtime are never data loading, so nothing is subtracted twice.
    late.idle_ns += gap.length_ns() - roles.time_in(StepRole::data_loading, gap) -
                    waited_in(waits, thread_of(trace, launch), gap);
    if (gap.length_ns() <= longest_ns) continue;
    longest_ns = gap.length_ns();
    late.longest_after = slice;
  }
  return late;
}

}  // namespace kino
