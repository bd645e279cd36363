#include "core/trace/links/launch_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <unordered_set>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/links/busy_time.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

/// Returns the maker's lower-case prefix: "cuda" for "cudaLaunchKernel". Empty if no capital follows the
/// prefix.
std::string_view prefix_of(std::string_view name) {
  const auto lower = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto at = static_cast<std::size_t>(std::ranges::find_if_not(name, lower) - name.begin());
  const bool named = at > 0 && at < name.size() && name[at] >= 'A' && name[at] <= 'Z';
  return name.substr(0, named ? at : 0);
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](std::string_view beginning) { return text.starts_with(beginning); });
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return contains(text, part); });
}

/// Returns the kind of a call of Unified Runtime or its predecessor, without the prefix:
/// urEnqueueKernelLaunch, urEnqueueUSMMemcpy, piextUSMEnqueueMemcpy.
LaunchKind enqueued_kind(std::string_view call) {
  if (contains(call, "EnqueueCommandBuffer")) return LaunchKind::graph;
  if (contains_any(call, {"KernelLaunch", "NDRangeKernel"})) return LaunchKind::kernel;
  const bool transfer = contains_any(
      call, {"Memcpy", "Memset", "Fill", "MemBuffer", "ReadBuffer", "WriteBuffer", "CopyBuffer"});
  // Mapping only makes memory accessible to the host.
  return transfer && !contains(call, "Map") ? LaunchKind::transfer : LaunchKind::none;
}

enum class CaptureCall : std::uint8_t { none, begin, end };

CaptureCall capture_call(std::string_view name) {
  if (prefix_of(name).empty()) return CaptureCall::none;
  if (contains_any(name, {"StreamBeginCapture", "StreamBeginRecapture"})) return CaptureCall::begin;
  return contains(name, "StreamEndCapture") ? CaptureCall::end : CaptureCall::none;
}

/// The times at which each thread captured a stream into a graph.
class Captures {
 public:
  explicit Captures(const Trace& trace) : trace_(trace) {
    std::vector<CaptureCall> by_name(trace.names.size());
    bool any = false;
    for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
      by_name[i] = capture_call(trace.names[i]);
      any = any || by_name[i] != CaptureCall::none;
    }
    if (!any) return;
    for (const Row& row : trace.rows) {
      for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
        if (trace.slices.kind[i] != SliceKind::runtime) continue;
        const CaptureCall call = by_name[index_of(trace.slices.name[i])];
        // A driver's call within the runtime's call is the same capture.
        const SliceId parent = trace.slices.parent[i];
        const bool inner = parent != kNoSlice && by_name[index_of(trace.name(parent))] == call;
        if (call == CaptureCall::begin && !inner)
          threads_[row.track].begins.push_back(trace.slices.start_ns[i]);
        if (call == CaptureCall::end && !inner) threads_[row.track].ends.push_back(trace.end_ns(SliceId{i}));
      }
    }
    for (auto& [track, thread] : threads_) pair_up(track, thread);
    for (auto& [process, open] : open_) pair_across_threads(open);
    // A thread can capture several streams at once, so its captures can overlap.
    for (auto& [track, thread] : threads_) thread.times = united(std::move(thread.times));
  }

  bool empty() const { return threads_.empty(); }

  /// Returns the united times of the captures of all threads, clipped to the trace.
  std::vector<TimeRange> times() const {
    std::vector<TimeRange> all;
    for (const auto& [track, thread] : threads_) {
      for (const TimeRange& time : thread.times)
        all.push_back(clipped(trace_.range, time.begin_ns, time.end_ns));
    }
    return united(std::move(all));
  }

  /// Returns the captures in order of begin.
  std::vector<StreamCapture> captures() const {
    std::vector<StreamCapture> sorted = captures_;
    std::ranges::stable_sort(sorted, {}, [](const StreamCapture& capture) { return capture.range.begin_ns; });
    return sorted;
  }

  bool contain(TrackId thread, std::int64_t time_ns) const {
    const auto found = threads_.find(thread);
    if (found == threads_.end()) return false;
    const std::vector<TimeRange>& times = found->second.times;
    const auto after = std::ranges::upper_bound(times, time_ns, {}, &TimeRange::begin_ns);
    return after != times.begin() && time_ns < std::prev(after)->end_ns;
  }

 private:
  static constexpr std::int64_t kAlways = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  struct Thread {
    std::vector<std::int64_t> begins;
    std::vector<std::int64_t> ends;
    std::vector<TimeRange> times;  // finally disjoint and in order
  };
  struct Half {
    TrackId thread{};
    std::int64_t time_ns = 0;
  };
  /// Capture calls of one process without a partner on their thread.
  struct Open {
    std::vector<Half> begins;
    std::vector<Half> ends;
  };

  void pair_up(TrackId track, Thread& thread) {
    Open& open_there = open_[trace_.track(track).process];
    std::ranges::sort(thread.begins);
    std::ranges::sort(thread.ends);
    std::vector<std::int64_t> open;
    std::size_t next = 0;
    for (const std::int64_t end : thread.ends) {
      for (; next < thread.begins.size() && thread.begins[next] < end; ++next)
        open.push_back(thread.begins[next]);
      if (open.empty()) {
        open_there.ends.push_back({track, end});
        continue;
      }
      add(open.back(), end, track, track);
      open.pop_back();
    }
    open.insert(open.end(), thread.begins.begin() + static_cast<std::ptrdiff_t>(next), thread.begins.end());
    for (const std::int64_t begin : open) open_there.begins.push_back({track, begin});
  }

  /// Pairs the remaining capture calls. In relaxed mode, another thread may end a capture. Calls that are
  /// still unpaired belong to captures that started before the recording or ended after it.
  void pair_across_threads(Open& open) {
    std::ranges::sort(open.begins, {}, &Half::time_ns);
    std::ranges::sort(open.ends, {}, &Half::time_ns);
    auto end = open.ends.begin();
    for (const Half& begin : open.begins) {
      for (; end != open.ends.end() && end->time_ns <= begin.time_ns; ++end)
        add(kAlways, end->time_ns, end->thread, end->thread);
      if (end == open.ends.end()) {
        add(begin.time_ns, kNever, begin.thread, begin.thread);
        continue;
      }
      add(begin.time_ns, end->time_ns, begin.thread, end->thread);
      ++end;
    }
    for (; end != open.ends.end(); ++end) add(kAlways, end->time_ns, end->thread, end->thread);
  }

  void add(std::int64_t begin_ns, std::int64_t end_ns, TrackId first_thread, TrackId last_thread) {
    const TimeRange time{begin_ns, end_ns};
    threads_[first_thread].times.push_back(time);
    if (last_thread != first_thread) threads_[last_thread].times.push_back(time);
    // A launch at the very end of the trace is within a capture that never ends.
    const TimeRange within{std::max(begin_ns, trace_.range.begin_ns),
                           std::min(end_ns, saturating_add(trace_.range.end_ns, 1))};
    captures_.push_back({within, first_thread, last_thread});
  }

  const Trace& trace_;
  std::map<TrackId, Thread> threads_;
  std::map<std::uint32_t, Open> open_;  // by process
  std::vector<StreamCapture> captures_;
};

class Counter {
 public:
  Counter(const Trace& trace, TimeRange range, const std::stop_token& stop)
      : trace_(trace), range_(range), stop_(stop), calls_(trace) {}

  LaunchCounts run() {
    for (const Row& row : trace_.rows) {
      for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
        if (i % kCancelStride == 0 && stop_.stop_requested()) return {};
        visit(SliceId{i}, row.track);
      }
    }
    const Captures captures(trace_);
    for (const Launch& launch : unlinked_) {
      const bool linked = linked_within_.contains(index_of(launch.slice));
      const bool captured = !linked && captures.contain(launch.thread, trace_.start_ns(launch.slice));
      if (captured) captured_.push_back(launch.slice);
      // A memset of zero bytes runs nothing, so its missing work is not counted as lost if other work was
      // recorded.
      const bool may_be_empty = counts_.gpu_work > 0 && calls_.kind_of(launch.slice) == LaunchKind::transfer;
      if (!linked && !captured && !may_be_empty) lost_ns_.push_back(trace_.start_ns(launch.slice));
      add(launch.slice, linked         ? &LaunchTally::with_work
                        : captured     ? &LaunchTally::captured
                        : may_be_empty ? &LaunchTally::transfers_without_work
                                       : &LaunchTally::without_work);
    }
    return stop_.stop_requested() ? LaunchCounts{} : counts_;
  }
  /// Returns the launches that were captured; call after run().
  const std::vector<SliceId>& captured() const { return captured_; }
  /// Returns the start times of the launches whose work was lost; call after run().
  std::vector<std::int64_t> take_lost() { return std::move(lost_ns_); }

 private:
  struct Launch {
    SliceId slice = kNoSlice;
    TrackId thread{};
  };

  void visit(SliceId slice, TrackId thread) {
    const SliceKind kind = trace_.kind(slice);
    if (is_gpu_work(kind)) {
      ++counts_.gpu_work;
      if (kind != SliceKind::copy) ++counts_.kernels;
      return;
    }
    if (kind != SliceKind::runtime && trace_.link(slice) == kNoSlice) return;
    const SliceId launch = calls_.launch_of(slice);
    if (launch == kNoSlice) return;
    const SliceId work = trace_.link(slice);
    const bool linked = work != kNoSlice && is_gpu_work(trace_.kind(work));
    if (launch != slice) {
      if (linked) linked_within_.insert(index_of(launch));
      return;
    }
    const std::int64_t start_ns = trace_.start_ns(slice);
    if (start_ns < range_.begin_ns || start_ns >= range_.end_ns) return;
    if (linked) {
      add(slice, &LaunchTally::with_work);
    } else {
      unlinked_.push_back({slice, thread});
    }
  }

  void add(SliceId slice, CallSum LaunchTally::*outcome) {
    LaunchTally& kind_tally = counts_.by_kind[static_cast<std::size_t>(calls_.kind_of(slice))];
    LaunchTally& api_tally = counts_.by_api[static_cast<std::size_t>(calls_.api_of(slice))];
    for (LaunchTally* const tally : {&counts_.all, &kind_tally, &api_tally}) {
      add(tally->calls, slice);
      add(tally->*outcome, slice);
    }
  }

  void add(CallSum& sum, SliceId slice) const {
    const auto& starts = trace_.slices.start_ns;
    ++sum.count;
    add_saturating(sum.duration_ns, trace_.duration_ns(slice));
    if (sum.first == kNoSlice || starts[index_of(slice)] < starts[index_of(sum.first)]) sum.first = slice;
  }

  const Trace& trace_;
  const TimeRange range_;
  const std::stop_token& stop_;
  const LaunchCalls calls_;
  LaunchCounts counts_;
  std::vector<Launch> unlinked_;
  std::vector<SliceId> captured_;
  std::vector<std::int64_t> lost_ns_;
  std::unordered_set<std::uint32_t> linked_within_;  // launches with a driver call that has work
};

double share_lost(const LaunchTally& tally) {
  const std::uint64_t due = tally.with_work.count + tally.without_work.count;
  return due == 0 ? 0 : static_cast<double>(tally.without_work.count) / static_cast<double>(due);
}

}  // namespace

LaunchKind launch_kind(std::string_view call_name) {
  // MTIA: "runFunction - job_prep_and_submit_for_execution", "enqueueCommand memcpyHtoDAsync".
  if (call_name.starts_with("runFunction - ")) return LaunchKind::kernel;
  if (call_name.starts_with("enqueueCommand mem")) return LaunchKind::transfer;
  const std::string_view prefix = prefix_of(call_name);
  if (prefix.empty()) return LaunchKind::none;
  const std::string_view call = call_name.substr(prefix.size());
  if (starts_with_any(call, {"Enqueue", "USMEnqueue"})) return enqueued_kind(call);
  if (call.starts_with("CommandListAppend")) {
    if (call.starts_with("CommandListAppendLaunch")) return LaunchKind::kernel;
    return contains_any(call, {"MemoryCopy", "MemoryFill", "ImageCopy"}) ? LaunchKind::transfer
                                                                         : LaunchKind::none;
  }
  if (call.starts_with("GraphLaunch")) return LaunchKind::graph;
  if (call.starts_with("LaunchHost")) return LaunchKind::none;  // runs a function on the CPU
  if (starts_with_any(call, {"Launch", "ExtLaunch", "ModuleLaunch", "ExtModuleLaunch", "HccModuleLaunch",
                             "InvokeKernel"})) {
    return LaunchKind::kernel;
  }
  const bool transfer = starts_with_any(call, {"Memcpy", "Memset", "DrvMemcpy"}) && contains(call, "Async");
  return transfer ? LaunchKind::transfer : LaunchKind::none;
}

DeviceApi device_api(std::string_view call_name) {
  const std::string_view prefix = prefix_of(call_name);
  if (prefix == "cuda" || prefix == "cu") return DeviceApi::cuda;
  if (prefix == "hip") return DeviceApi::hip;
  if (prefix == "ur" || prefix == "ze" || prefix == "pi" || prefix == "piext") return DeviceApi::xpu;
  if (prefix == "musa" || prefix == "mu") return DeviceApi::musa;
  return DeviceApi::other;
}

LaunchCalls::LaunchCalls(const Trace& trace) : trace_(trace), by_name_(trace.names.size()) {
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) by_name_[i] = launch_kind(trace.names[i]);
}

LaunchKind LaunchCalls::own_kind(SliceId slice) const {
  const SliceKind kind = trace_.kind(slice);
  if (is_on_gpu(kind)) return LaunchKind::none;
  const LaunchKind named =
      kind == SliceKind::runtime ? by_name_[index_of(trace_.name(slice))] : LaunchKind::none;
  if (named != LaunchKind::none) return named;
  // The link covers calls of any name and kind that started work: synchronous copies, other makers' launches,
  // and operators joined to work by an arrow.
  const SliceId work = trace_.link(slice);
  if (work == kNoSlice || !is_gpu_work(trace_.kind(work))) return LaunchKind::none;
  return trace_.kind(work) == SliceKind::copy ? LaunchKind::transfer : LaunchKind::kernel;
}

SliceId LaunchCalls::launch_of(SliceId slice) const {
  const LaunchKind own = own_kind(slice);
  if (own == LaunchKind::none) return kNoSlice;
  constexpr int kDeepest = 4;  // enough, since a runtime's launch makes one or two driver calls
  SliceId launch = slice;
  SliceId at = trace_.parent(slice);
  for (int depth = 0; depth < kDeepest && at != kNoSlice; ++depth, at = trace_.parent(at)) {
    if (trace_.kind(at) != SliceKind::runtime) break;
    // Within one layer, a memset that seems to be inside a launch is not part of it: their times are inexact.
    const LaunchKind outer = by_name_[index_of(trace_.name(at))];
    const bool other_layer = trace_.category(at) != trace_.category(slice);
    if (outer != LaunchKind::none && (other_layer || outer == own)) launch = at;
  }
  return launch;
}

LaunchKind LaunchCalls::kind_of(SliceId slice) const {
  const LaunchKind kind = own_kind(slice);
  return kind != LaunchKind::none && launch_of(slice) == slice ? kind : LaunchKind::none;
}

DeviceApi LaunchCalls::api_of(SliceId slice) const { return device_api(trace_.name_of(slice)); }

std::optional<double> LaunchTally::covered() const {
  const std::uint64_t due = with_work.count + without_work.count;
  if (due == 0) return std::nullopt;
  return static_cast<double>(with_work.count) / static_cast<double>(due);
}

bool LaunchCounts::kernels_missing() const {
  return kernels == 0 &&
         of(LaunchKind::kernel).without_work.count + of(LaunchKind::graph).without_work.count > 0;
}

bool LaunchCounts::missing(DeviceApi api) const {
  return of(api).without_work.count > 0 && of(api).with_work.count == 0;
}

bool LaunchCounts::idle_unknown() const {
  return gpu_side_missing() || kernels_missing() || share_lost(of(LaunchKind::kernel)) > kLostShare ||
         share_lost(of(LaunchKind::graph)) > kLostShare;
}

LaunchCounts count_launches(const Trace& trace, TimeRange range, const std::stop_token& stop) {
  return Counter(trace, range, stop).run();
}

CapturedWork captured_work(const Trace& trace, const std::stop_token& stop) {
  const Captures captures(trace);
  if (captures.empty()) return {};
  Counter counter(trace, {trace.range.begin_ns, trace.range.end_ns + 1}, stop);
  counter.run();
  if (stop.stop_requested()) return {};
  return {captures.times(), counter.captured(), captures.captures()};
}

std::vector<std::int64_t> lost_launches(const Trace& trace, const std::stop_token& stop) {
  Counter counter(trace, {trace.range.begin_ns, trace.range.end_ns + 1}, stop);
  if (!counter.run().idle_unknown()) return {};
  std::vector<std::int64_t> lost = counter.take_lost();
  std::ranges::sort(lost);
  return lost;
}

Message lost_note(const LaunchCounts& counts) {
  const std::uint64_t lost = counts.all.without_work.count;
  if (lost == 0) return {};
  // Copies and memsets without work count as lost only if the trace has no GPU work at all. Otherwise both
  // numbers exclude copies and memsets.
  const LaunchTally& transfers = counts.of(LaunchKind::transfer);
  const bool without_transfers = transfers.calls.count > 0 && transfers.without_work.count == 0;
  const std::uint64_t calls = counts.all.calls.count - (without_transfers ? transfers.calls.count : 0);
  // Indexed by the second sentence: none, the GPU side is missing, no kernel was recorded.
  using Forms = std::array<msg::Id, 3>;
  constexpr Forms kLaunches{msg::launches_without_work, msg::launches_without_work_gpu_side_missing,
                            msg::launches_without_work_no_kernel};
  constexpr Forms kOneLaunch{msg::one_launch_without_work, msg::one_launch_without_work_gpu_side_missing,
                             msg::one_launch_without_work_no_kernel};
  constexpr Forms kKernels{msg::kernel_or_graph_launches_without_work,
                           msg::kernel_or_graph_launches_without_work_gpu_side_missing,
                           msg::kernel_or_graph_launches_without_work_no_kernel};
  constexpr Forms kOneKernel{msg::one_kernel_or_graph_launch_without_work,
                             msg::one_kernel_or_graph_launch_without_work_gpu_side_missing,
                             msg::one_kernel_or_graph_launch_without_work_no_kernel};
  const std::size_t ending = counts.gpu_side_missing() ? 1 : counts.kernels_missing() ? 2 : 0;
  const Forms& forms =
      without_transfers ? (lost == 1 ? kOneKernel : kKernels) : (lost == 1 ? kOneLaunch : kLaunches);
  return {forms[ending], grouped(lost), grouped(calls)};
}

Message captured_note(const LaunchCounts& counts) {
  const std::uint64_t captured = counts.all.captured.count;
  if (captured == 0) return {};
  return {captured == 1 ? msg::of_launches_was_captured_into_a : msg::of_launches_were_captured_into_graphs,
          grouped(captured), grouped(counts.all.calls.count)};
}

}  // namespace kino
