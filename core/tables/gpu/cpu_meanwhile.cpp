#include "core/tables/gpu/cpu_meanwhile.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

#include "core/base/saturating.hpp"
#include "core/base/step_words.hpp"
#include "core/tables/track_slices.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/links/runtime_calls.hpp"
#include "core/trace/links/trace_maker.hpp"

namespace kino {
namespace {

/// Share of a gap that a CPU activity must fill to be its reason.
constexpr double kMostOfIt = 0.5;
/// Duration from which a launch call is unusually long. While the GPU is idle, its queue is not full, so a
/// launch should take only microseconds.
constexpr std::int64_t kLongCallNs = 1'000'000;

/// Kind of a thread's activity in a gap, to which self time is attributed.
enum class Activity : std::uint8_t { overhead, memory, loading, graphs, waits, calls, python, nothing };
constexpr std::size_t kActivityCount = static_cast<std::size_t>(Activity::nothing) + 1;

Activity activity_of_call(std::string_view call) {
  if (changes_gpu_memory(call)) return Activity::memory;
  if (builds_graph(call)) return Activity::graphs;
  return waits_for_gpu(call) ? Activity::waits : Activity::calls;
}

Activity activity_of(const Trace& trace, SliceId slice, bool loading) {
  if (loading) return Activity::loading;
  switch (trace.kind(slice)) {
    case SliceKind::overhead:
      return Activity::overhead;
    case SliceKind::runtime:
      return activity_of_call(trace.name_of(slice));
    case SliceKind::cpu_op:
      return Activity::calls;
    case SliceKind::python:
      return Activity::python;
    default:
      return Activity::nothing;  // annotations only enclose activities
  }
}

/// Self time of one thread in a range, by activity and by name.
struct OwnTime {
  std::array<std::int64_t, kActivityCount> activity_ns{};
  NameId name{};
  std::int64_t name_ns = 0;
  std::int64_t longest_call_ns = 0;  ///< longest single call within Activity::calls
  std::int64_t recorded_ns() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i + 1 < kActivityCount; ++i) sum += activity_ns[i];
    return sum;
  }
};

/// Returns the self time of the thread in the range. `launch` is the call that launches the next work; it
/// does not count as a wait, even if it waits for its copy.
OwnTime own_time(const Trace& trace, TrackId thread, TimeRange range, SliceId launch) {
  std::unordered_map<std::uint32_t, std::int64_t> own;    // by slice
  std::unordered_map<std::uint32_t, bool> loads;          // by slice: whether the slice or an enclosing slice
                                                          // loads data
  std::unordered_map<std::uint32_t, std::int64_t> names;  // by name
  OwnTime sum;
  std::vector<SliceId> order;
  for_each_slice_of(trace, trace.track(thread), range, {}, [&](SliceId slice) {
    const std::uint32_t i = index_of(slice);
    const std::int64_t part = clipped_ns(trace, i, range);
    const SliceId parent = trace.parent(slice);
    own[i] += part;
    if (parent != kNoSlice) own[index_of(parent)] -= part;
    loads[i] = is_data_loading(trace.name_of(slice)) || (parent != kNoSlice && loads[index_of(parent)]);
    order.push_back(slice);
  });
  for (const SliceId slice : order) {
    const std::int64_t part = own[index_of(slice)];
    if (part <= 0) continue;
    Activity activity = activity_of(trace, slice, loads[index_of(slice)]);
    if (activity == Activity::waits && slice == launch) activity = Activity::calls;
    sum.activity_ns[static_cast<std::size_t>(activity)] += part;
    if (activity == Activity::calls && trace.kind(slice) == SliceKind::runtime)
      sum.longest_call_ns = std::max(sum.longest_call_ns, part);
    std::int64_t& name_ns = names[index_of(trace.name(slice))];
    name_ns += part;
    if (name_ns <= sum.name_ns) continue;
    sum.name_ns = name_ns;
    sum.name = trace.name(slice);
  }
  return sum;
}

TrackId launching_thread(const Trace& trace, SliceId work) {
  const SliceId launch = work == kNoSlice ? kNoSlice : trace.link(work);
  return launch == kNoSlice ? kNoTrack : trace.track_of(launch);
}

/// Whether the thread was waiting for the GPU at this time.
bool waited_at(const Trace& trace, TrackId thread, std::int64_t time_ns) {
  if (thread == kNoTrack) return false;
  const Track& track = trace.track(thread);
  for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
    const SliceId slice = trace.slice_at(RowId{row}, time_ns);
    if (slice != kNoSlice && waits_for_gpu(trace.name_of(slice))) return true;
  }
  return false;
}

/// Whether the GPU work of a launch was lost. Considers launches between those of the work before and after
/// the gap.
bool misses_work(const Trace& trace, const GpuGap& gap, const GapFacts& facts) {
  const auto start_of_launch = [&](SliceId work, std::int64_t otherwise_ns) {
    const SliceId launch = work == kNoSlice ? kNoSlice : trace.link(work);
    return launch == kNoSlice ? otherwise_ns : trace.start_ns(launch);
  };
  const std::int64_t from_ns = std::min(gap.range.begin_ns, start_of_launch(gap.before, gap.range.begin_ns));
  const std::int64_t to_ns = std::min(gap.range.end_ns, start_of_launch(gap.after, gap.range.end_ns));
  const auto first = std::ranges::lower_bound(facts.lost_launches_ns, from_ns);
  return first != facts.lost_launches_ns.end() && *first < to_ns;
}

/// Returns the time of the gap in which the CPU captured or instantiated graphs.
std::int64_t time_in_graphs(const GpuGap& gap, const OwnTime& own, const GapFacts& facts) {
  std::int64_t sum_ns = own.activity_ns[static_cast<std::size_t>(Activity::graphs)];
  auto at = std::ranges::upper_bound(facts.captures, gap.range.begin_ns, {}, &TimeRange::end_ns);
  for (; at != facts.captures.end() && at->begin_ns < gap.range.end_ns; ++at)
    add_saturating(sum_ns, clipped(gap.range, at->begin_ns, at->end_ns).length_ns());
  return sum_ns;
}

/// Returns the reason for a gap whose next work was launched late: the activity that fills most of the gap.
msg::Id host_wait_meaning(const Trace& trace, const GpuGap& gap, const OwnTime& own, const GapFacts& facts) {
  const auto is_most = [&](std::int64_t ns) {
    return static_cast<double>(ns) >= kMostOfIt * static_cast<double>(gap.range.length_ns());
  };
  const auto most = [&](Activity activity) {
    return is_most(own.activity_ns[static_cast<std::size_t>(activity)]);
  };
  const SliceId launch = trace.link(gap.after);
  const std::int64_t in_call_ns =
      clipped(gap.range, trace.start_ns(launch), trace.end_ns(launch)).length_ns();
  if (in_call_ns >= kLongCallNs && is_most(in_call_ns)) return msg::one_long_launch_call_takes_most;
  if (most(Activity::overhead)) return msg::the_profiler_itself_was_at_work;
  if (most(Activity::loading)) return msg::the_cpu_waited_for_the_next;
  if (is_most(time_in_graphs(gap, own, facts))) return msg::cpu_captured_or_prepared_graphs;
  if (most(Activity::memory)) return msg::the_cpu_allocated_or_freed_gpu;
  if (own.longest_call_ns >= kLongCallNs && is_most(own.longest_call_ns))
    return msg::one_long_call_of_the_runtime;
  const bool waited = waited_at(trace, launching_thread(trace, gap.after), gap.ran_dry_ns) ||
                      waited_at(trace, launching_thread(trace, gap.before), gap.ran_dry_ns);
  if (most(Activity::waits)) {
    return waited && gap.before != kNoSlice ? msg::the_cpu_had_waited_for_the_gpu_so_that_nothing
                                            : msg::the_cpu_waited_for_the_gpu;
  }
  if (most(Activity::calls))
    return waited ? msg::the_cpu_had_waited_for_the : msg::the_cpu_was_busy_with_operators;
  if (most(Activity::python))
    return waited ? msg::the_cpu_had_waited_for_the_gpu_and : msg::the_cpu_ran_python_outside_of;
  if (waited) return msg::the_cpu_had_waited_for_the_gpu_so;
  return facts.python_unrecorded ? msg::cpu_has_few_recorded_events : msg::recorded_calls_of_the_cpu_fill;
}

msg::Id meaning_of(const Trace& trace, const GpuGap& gap, const OwnTime& own, const GapFacts& facts) {
  if (gap.cause == GapCause::end_of_work) return msg::no_work_of_the_device_follows;
  if (trace.link(gap.after) == kNoSlice) return msg::the_launch_of_the_next_work;
  if (gap.cause == GapCause::unknown) return msg::the_work_of_launches_was_not;
  if (gap.cause == GapCause::kernel_wait) return msg::the_next_work_was_queued_the;
  if (gap.cause == GapCause::host_wait) return host_wait_meaning(trace, gap, own, facts);
  return gap.before == kNoSlice ? msg::the_next_work_was_queued_perhaps : msg::the_next_work_was_queued_and;
}

}  // namespace

LaunchingThreads::LaunchingThreads(const Trace& trace, const std::stop_token& stop) {
  constexpr std::size_t kMax = 16;
  std::vector<std::uint64_t> launches(trace.tracks.size());
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::gpu_stream) continue;
    for_each_slice_of(trace, track, stop, [&](SliceId slice) {
      const TrackId thread = is_gpu_work(trace.kind(slice)) ? launching_thread(trace, slice) : kNoTrack;
      if (thread != kNoTrack) ++launches[index_of(thread)];
    });
  }
  if (stop.stop_requested()) return;
  for (std::uint32_t track = 0; track < launches.size(); ++track) {
    if (launches[track] > 0) threads_.push_back(TrackId{track});
  }
  std::ranges::stable_sort(threads_, std::greater(),
                           [&](TrackId thread) { return launches[index_of(thread)]; });
  threads_.resize(std::min(threads_.size(), kMax));
}

GapFacts gap_facts(const Trace& trace, const std::stop_token& stop) {
  GapFacts facts;
  facts.captures = captured_work(trace, stop).times;
  facts.lost_launches_ns = lost_launches(trace, stop);
  facts.python_unrecorded = is_pytorch(trace) && !has_kind(trace, SliceKind::python);
  return facts;
}

void mark_lost_work(const Trace& trace, std::vector<GpuGap>& gaps, const GapFacts& facts) {
  for (GpuGap& gap : gaps) {
    const bool known = gap.cause != GapCause::end_of_work && gap.cause != GapCause::unknown_launch;
    if (known && misses_work(trace, gap, facts)) gap.cause = GapCause::unknown;
  }
}

CpuMeanwhile cpu_meanwhile(const Trace& trace, const GpuGap& gap, const LaunchingThreads& launching,
                           const GapFacts& facts) {
  CpuMeanwhile result;
  OwnTime own;
  std::vector<TrackId> tried;
  const SliceId launch = gap.after == kNoSlice ? kNoSlice : trace.link(gap.after);
  const auto is_enough = [&](TrackId thread) {
    if (std::ranges::find(tried, thread) != tried.end()) return false;
    tried.push_back(thread);
    const OwnTime found = own_time(trace, thread, gap.range, launch);
    if (result.thread == kNoTrack || found.recorded_ns() > own.recorded_ns()) {
      result.thread = thread;
      own = found;
    }
    return static_cast<double>(own.recorded_ns()) >= kMostOfIt * static_cast<double>(gap.range.length_ns());
  };
  // Several threads can be the cause: the backward thread launches work that the main thread prepared, and
  // another thread may delay both. If one thread has few events, the next one is tried.
  bool enough = false;
  for (const SliceId work : {gap.after, gap.before}) {
    const TrackId thread = launching_thread(trace, work);
    enough = enough || (thread != kNoTrack && is_enough(thread));
  }
  const std::uint32_t process = tried.empty() ? ~std::uint32_t{0} : trace.track(tried.front()).process;
  for (const TrackId thread : launching.threads()) {
    if (enough) break;
    if (trace.track(thread).process == process) enough = is_enough(thread);
  }
  result.name = own.name;
  result.share = static_cast<double>(own.name_ns) / static_cast<double>(gap.range.length_ns());
  result.meaning = meaning_of(trace, gap, own, facts);
  return result;
}

}  // namespace kino
