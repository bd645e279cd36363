#include "core/trace/build/launch_links.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/trace/build/launch_table.hpp"
#include "core/trace/flow_links.hpp"

namespace kino {
namespace {

void join(Trace& trace, SliceId launch, SliceId work, std::vector<SliceId>& shared_work) {
  SliceColumns& slices = trace.slices;
  const auto gpu = index_of(work);
  slices.link[gpu] = launch;
  SliceId& first = slices.link[index_of(launch)];
  if (first == kNoSlice) {
    ++trace.launches_linked;
  } else {
    shared_work.insert(shared_work.end(), {first, work});
  }
  const bool earlier = first == kNoSlice || std::pair(slices.start_ns[gpu], gpu) <
                                                std::pair(slices.start_ns[index_of(first)], index_of(first));
  if (earlier) first = work;
}

/// Returns the arrow from the launch of `work`, chosen as link_by_arrows() specifies; nullopt if there is
/// none.
std::optional<std::uint32_t> launch_arrow(const Trace& trace, SliceId work) {
  std::optional<std::uint32_t> best;
  const auto key = [&](std::uint32_t arrow) {
    const std::int64_t start_ns = trace.start_ns(trace.flows.from[arrow]);
    const bool before = start_ns <= trace.start_ns(work);
    return std::pair(before, before ? start_ns : -start_ns);
  };
  for (const std::uint32_t arrow : flows_to(trace, work)) {
    const SliceId from = trace.flows.from[arrow];
    const Track& track = trace.track(trace.track_of(from));
    if (track.kind != TrackKind::cpu_thread || is_on_gpu(trace.kind(from))) continue;
    if (!best || key(arrow) > key(*best)) best = arrow;
  }
  return best;
}

}  // namespace

std::vector<SliceId> link_launches(std::span<const SliceFindings> findings, Trace& trace,
                                   const std::stop_token& stop) {
  std::size_t count = 0;
  for (const SliceFindings& found : findings) count += found.launches.size();
  LaunchTable launches(count);
  for (const SliceFindings& found : findings) {
    for (const Correlated& launch : found.launches) launches.add(launch);
  }
  std::vector<SliceId> shared_work;
  std::size_t visited = 0;
  for (const SliceFindings& found : findings) {
    for (const Correlated& work : found.gpu_work) {
      if (++visited % kCancelStride == 0 && stop.stop_requested()) return shared_work;
      const SliceId launch = launches.find(work.correlation);
      if (launch == kNoSlice) continue;
      join(trace, launch, work.slice, shared_work);
    }
  }
  return shared_work;
}

void link_by_arrows(Trace& trace, std::vector<SliceId>& shared_work, const std::stop_token& stop) {
  std::vector<std::uint32_t> launch_arrows;  // indices of the arrows that become links
  SliceId before = kNoSlice;
  for (std::size_t i = 0; i < trace.flows.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return;
    const SliceId work = trace.flows.to[trace.flows.by_to[i]];
    if (work == std::exchange(before, work)) continue;
    if (!is_on_gpu(trace.kind(work))) continue;
    if (trace.link(work) != kNoSlice) continue;
    if (const auto arrow = launch_arrow(trace, work)) launch_arrows.push_back(*arrow);
  }
  for (const std::uint32_t arrow : launch_arrows)
    join(trace, trace.flows.from[arrow], trace.flows.to[arrow], shared_work);
  if (launch_arrows.empty()) return;
  std::ranges::sort(launch_arrows);
  trace.flows = without_arrows(std::move(trace.flows), launch_arrows);
}

}  // namespace kino
