#include "core/tables/layers/layer_costs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "core/base/saturating.hpp"
#include "core/base/slice_set.hpp"
#include "core/tables/operators/flops_table.hpp"
#include "core/trace/links/busy_time.hpp"

namespace kino {
namespace {

using CopyRef = LayerCopy*;

std::vector<CopyRef> all_copies(LayerFold& fold) {
  std::vector<CopyRef> copies;
  for (LayerStack& stack : fold.stacks) {
    for (LayerCopy& copy : stack.copies) copies.push_back(&copy);
  }
  return copies;
}

void add_spans(const Trace& trace, LayerFold& fold) {
  for (LayerCopy* copy : all_copies(fold)) {
    std::uint64_t kernels = 0;
    copy->span = trace.range_of(fold.kernels[copy->first]);
    for (std::size_t i = copy->first; i < copy->first + copy->count; ++i) {
      const SliceId slice = fold.kernels[i];
      copy->span.begin_ns = std::min(copy->span.begin_ns, trace.start_ns(slice));
      copy->span.end_ns = std::max(copy->span.end_ns, trace.end_ns(slice));
      const SliceKind kind = trace.kind(slice);
      kernels += kind == SliceKind::communication || kind == SliceKind::copy ? 0 : 1;
    }
    copy->cost.kernels = kernels;
  }
}

/// Adds the idle time of the device (one per process) within each copy.
void add_idle(const Trace& trace, const GpuWork& work, LayerFold& fold) {
  std::map<std::uint32_t, BusyLine> busy;
  for (std::size_t i = 0; i < work.streams.size();) {
    const std::uint32_t process = trace.track(work.streams[i].track).process;
    std::vector<TimeRange> ranges;
    for (; i < work.streams.size() && trace.track(work.streams[i].track).process == process; ++i) {
      for (const SliceId slice : work.streams[i].slices) append_range(ranges, trace.range_of(slice));
    }
    busy.emplace(process, BusyLine(united(std::move(ranges))));
  }
  for (LayerCopy* copy : all_copies(fold)) {
    const auto line = busy.find(trace.track(trace.track_of(fold.kernels[copy->first])).process);
    if (line == busy.end()) continue;
    copy->cost.idle_ns =
        copy->span.length_ns() - line->second.covered(copy->span.begin_ns, copy->span.end_ns);
  }
}

/// Adds collectives to the copies in which they were launched. If a launch is unknown, the start on the GPU
/// counts.
void add_communication(const Trace& trace, const GpuWork& work, LayerFold& fold,
                       const std::stop_token& stop) {
  struct Launched {
    std::int64_t time_ns;
    SliceId slice;
  };
  std::vector<Launched> collectives;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (trace.kind(slice) != SliceKind::communication) continue;
      const SliceId launch = trace.link(slice);
      collectives.push_back({trace.start_ns(launch == kNoSlice ? slice : launch), slice});
    }
  }
  if (collectives.empty()) return;
  std::ranges::sort(collectives, {}, &Launched::time_ns);
  const auto first_launch = [&](const LayerCopy& copy) {
    const SliceId first = fold.kernels[copy.first];
    const SliceId launch = trace.link(first);
    return trace.start_ns(launch == kNoSlice ? first : launch);
  };
  const auto last_launch = [&](const LayerCopy& copy) {
    const SliceId last = fold.kernels[copy.first + copy.count - 1];
    const SliceId launch = trace.link(last);
    return launch == kNoSlice ? trace.end_ns(last) : trace.end_ns(launch);
  };
  struct Begun {
    std::int64_t time_ns;
    const LayerStack* stack;
    LayerCopy* copy;
  };
  std::vector<Begun> copies;
  for (LayerStack& stack : fold.stacks) {
    for (LayerCopy& copy : stack.copies) copies.push_back({first_launch(copy), &stack, &copy});
  }
  std::ranges::stable_sort(copies, {}, &Begun::time_ns);
  for (std::size_t i = 0; i < copies.size() && !stop.stop_requested(); ++i) {
    const std::int64_t begin_ns = copies[i].time_ns;
    LayerCopy& copy = *copies[i].copy;
    const bool followed = i + 1 < copies.size() && copies[i + 1].stack == copies[i].stack &&
                          copies[i + 1].copy->pass == copy.pass;
    const std::int64_t end_ns = followed ? copies[i + 1].time_ns : last_launch(copy);
    auto at = std::ranges::lower_bound(collectives, begin_ns, {}, &Launched::time_ns);
    for (; at != collectives.end() && at->time_ns < end_ns; ++at)
      add_saturating(copy.cost.communication_ns, trace.duration_ns(at->slice));
  }
}

/// Adds FLOPs. Each counted call belongs to the first copy with a kernel that was launched within the call.
void add_flops(const Trace& trace, const OperatorTreePart& operators, LayerFold& fold,
               const std::stop_token& stop) {
  std::vector<CallFlop> calls = counted_calls(trace, operators, stop);
  if (calls.empty()) return;
  if (!std::ranges::is_sorted(calls, {}, &CallFlop::call)) std::ranges::sort(calls, {}, &CallFlop::call);
  SliceSet counted(trace.slice_count());
  for (const CallFlop& call : calls) counted.insert(index_of(call.call));
  SliceId last = kNoSlice;  // caller of the last launch: its FLOPs have been added
  for (LayerCopy* copy : all_copies(fold)) {
    for (std::size_t i = copy->first; i < copy->first + copy->count; ++i) {
      SliceId at = fold.operators ? fold.kernels[i] : trace.link(fold.kernels[i]);
      if (at != kNoSlice && !counted.contains(index_of(at))) {
        at = trace.parent(at);
        if (std::exchange(last, at) == at) continue;
      }
      while (at != kNoSlice && !counted.contains(index_of(at))) at = trace.parent(at);
      if (at == kNoSlice) continue;
      const auto call = std::ranges::lower_bound(calls, at, {}, &CallFlop::call);
      copy->cost.flop += std::exchange(call->flop, 0);
    }
  }
}

/// Adds the allocated minus the freed bytes of each forward call, by the memory events of its thread. Counts
/// memory of accelerators; if no such event exists, memory of the host.
void add_memory(const Trace& trace, LayerFold& fold) {
  const ArgumentColumns& arguments = trace.arguments;
  const bool device = std::ranges::any_of(
      arguments.memory_device, [](std::uint32_t id) { return id != ArgumentColumns::kMemoryHost; });
  const std::size_t size = arguments.memory_time_ns.size();
  if (size == 0) return;
  std::map<TrackId, std::vector<std::pair<std::int64_t, std::int64_t>>> sums;  // by track: time, bytes so far
  for (std::size_t i = 0; i < size; ++i) {
    if ((arguments.memory_device[i] != ArgumentColumns::kMemoryHost) != device) continue;
    auto& track = sums[arguments.memory_track[i]];
    const std::int64_t before = track.empty() ? 0 : track.back().second;
    track.emplace_back(arguments.memory_time_ns[i], saturating_add(before, arguments.memory_bytes[i]));
  }
  const auto bytes_before = [](const auto& track, std::int64_t time_ns) {
    const auto at =
        std::ranges::lower_bound(track, time_ns, {}, &std::pair<std::int64_t, std::int64_t>::first);
    return at == track.begin() ? std::int64_t{0} : std::prev(at)->second;
  };
  for (LayerCopy* copy : all_copies(fold)) {
    if (copy->call == kNoSlice) continue;
    const auto track = sums.find(trace.track_of(copy->call));
    if (track == sums.end()) {
      copy->cost.kept_bytes = 0;
      continue;
    }
    copy->cost.kept_bytes = saturating_subtract(bytes_before(track->second, trace.end_ns(copy->call)),
                                                bytes_before(track->second, trace.start_ns(copy->call)));
  }
}

}  // namespace

void add_costs(const Trace& trace, const GpuWork& work, const OperatorTreePart& operators, LayerFold& fold,
               const std::stop_token& stop) {
  add_spans(trace, fold);
  if (!fold.operators) {
    add_idle(trace, work, fold);
    // Layers by modules and annotations already contain the collectives launched within them.
    if (fold.source == LayerSource::names || fold.source == LayerSource::alike)
      add_communication(trace, work, fold, stop);
  }
  if (stop.stop_requested()) return;
  add_flops(trace, operators, fold, stop);
  add_memory(trace, fold);
}

}  // namespace kino
