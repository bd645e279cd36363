#include "core/trace/links/slice_relations.hpp"

#include <algorithm>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/trace/autograd_pairs.hpp"
#include "core/trace/links/operator_tree.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

std::span<const Row> rows_below(const Trace& trace, const Row& row) {
  const Track& track = trace.track(row.track);
  return std::span(trace.rows).subspan(track.first_row, track.row_count).subspan(row.lane + 1);
}

/// Calls `visit` for the direct children, lane by lane.
template <class Visit>
void for_each_child(const Trace& trace, SliceId slice, Visit&& visit) {
  const Row& own = trace.row(trace.row_of(slice));
  const TimeRange range = trace.range_of(slice);
  std::span<const Row> below = rows_below(trace, own);
  const bool nests = trace.track(own.track).spilled_count == 0;
  if (nests && !below.empty()) below = below.first(1);
  for (const Row& row : below) {
    const SliceWindow window = row_window(trace, row, range);
    for (std::uint32_t i = window.first; i < window.last; ++i) {
      if (trace.slices.parent[i] == slice) visit(SliceId{i});
    }
  }
}

enum class FlowSide { from, to };

std::vector<SliceId> autograd_partners(const Trace& trace, SliceId slice, FlowSide side) {
  std::vector<SliceId> partners;
  const std::uint32_t wanted = trace.categories.find(kAutogradFlow);
  if (wanted == StringTable::kAbsent) return partners;
  const auto take = [&](std::uint32_t arrow) {
    if (index_of(trace.flows.category[arrow]) != wanted) return;
    partners.push_back(side == FlowSide::from ? trace.flows.from[arrow] : trace.flows.to[arrow]);
  };
  for (SliceId at = cpu_side_of(trace, slice); at != kNoSlice && partners.empty(); at = trace.parent(at)) {
    if (side == FlowSide::from) {
      for (const std::uint32_t arrow : flows_to(trace, at)) take(arrow);
    } else {
      for (const std::uint32_t arrow : flows_from(trace, at)) take(arrow);
    }
  }
  std::sort(partners.begin(), partners.end());
  return partners;
}

}  // namespace

std::vector<SliceId> parents_of(const Trace& trace, SliceId slice) {
  std::vector<SliceId> parents;
  for (SliceId at = trace.parent(slice); at != kNoSlice; at = trace.parent(at)) parents.push_back(at);
  std::reverse(parents.begin(), parents.end());
  return parents;
}

std::vector<SliceId> children_of(const Trace& trace, SliceId slice) {
  std::vector<SliceId> children;
  for_each_child(trace, slice, [&](SliceId child) { children.push_back(child); });
  const auto key = [&](SliceId child) { return std::pair(trace.start_ns(child), child); };
  if (!std::ranges::is_sorted(children, {}, key)) std::ranges::sort(children, {}, key);
  return children;
}

std::int64_t self_ns(const Trace& trace, SliceId slice) {
  std::int64_t covered_ns = 0;
  std::int64_t covered_until_ns = trace.start_ns(slice);
  for (const SliceId child : children_of(trace, slice)) {
    const std::int64_t end = trace.end_ns(child);
    const std::int64_t begin = std::max(covered_until_ns, trace.start_ns(child));
    if (end <= begin) continue;
    covered_ns += end - begin;
    covered_until_ns = end;
  }
  return trace.duration_ns(slice) - covered_ns;
}

bool is_on_gpu(const Trace& trace, SliceId slice) { return is_on_gpu(trace.kind(slice)); }

SliceId cpu_side_of(const Trace& trace, SliceId slice) {
  return is_on_gpu(trace, slice) ? trace.link(slice) : slice;
}

SliceId operator_of(const Trace& trace, SliceId slice) {
  const SliceId cpu = cpu_side_of(trace, slice);
  if (cpu == kNoSlice) return kNoSlice;
  SliceId at = trace.parent(cpu);
  while (at != kNoSlice && trace.kind(at) != SliceKind::cpu_op) at = trace.parent(at);
  return at;
}

std::vector<SliceId> forward_of(const Trace& trace, SliceId slice) {
  return autograd_partners(trace, slice, FlowSide::from);
}

std::vector<SliceId> backward_of(const Trace& trace, SliceId slice) {
  return autograd_partners(trace, slice, FlowSide::to);
}

std::optional<std::int64_t> launch_delay_ns(const Trace& trace, SliceId gpu_slice) {
  if (!is_on_gpu(trace, gpu_slice)) return std::nullopt;
  const SliceId launch = trace.link(gpu_slice);
  if (launch == kNoSlice) return std::nullopt;
  return trace.start_ns(gpu_slice) - trace.end_ns(launch);
}

namespace {

/// Returns a slice with its enclosing slices, excluding Python frames that are not module calls.
std::vector<SliceId> call_chain(const Trace& trace, SliceId innermost) {
  std::vector<SliceId> chain = parents_of(trace, innermost);
  std::erase_if(chain, [&](SliceId id) {
    return trace.kind(id) == SliceKind::python && !is_module_call(trace.name_of(id));
  });
  chain.push_back(innermost);
  return chain;
}

}  // namespace

std::vector<SliceId> launch_chain(const Trace& trace, SliceId gpu_slice) {
  const SliceId launch = is_on_gpu(trace, gpu_slice) ? cpu_side_of(trace, gpu_slice) : kNoSlice;
  return launch == kNoSlice ? std::vector<SliceId>() : call_chain(trace, launch);
}

std::vector<SliceId> forward_chain(const Trace& trace, SliceId slice) {
  const std::vector<SliceId> forward = forward_of(trace, slice);
  return forward.empty() ? std::vector<SliceId>() : call_chain(trace, forward.front());
}

std::optional<QueuePosition> queue_position(const Trace& trace, SliceId gpu_slice,
                                            const std::stop_token& stop) {
  const SliceColumns& slices = trace.slices;
  const SliceId launch = trace.link(gpu_slice);
  if (!is_gpu_work(trace.kind(gpu_slice)) || launch == kNoSlice) return std::nullopt;
  const std::int64_t launched_ns = trace.start_ns(launch);
  const std::pair own(trace.start_ns(gpu_slice), gpu_slice);
  const Track& track = trace.track(trace.track_of(gpu_slice));
  QueuePosition position;
  for (const Row& row : std::span(trace.rows).subspan(track.first_row, track.row_count)) {
    for (std::uint32_t i = first_start_at(trace, row, launched_ns); i < row.first_slice + row.slice_count;
         ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return std::nullopt;
      const SliceId other = slices.link[i];
      if (other == kNoSlice || !is_gpu_work(slices.kind[i])) continue;
      if (other != launch && trace.start_ns(other) > launched_ns) continue;
      ++position.length;
      if (std::pair(slices.start_ns[i], SliceId{i}) < own) ++position.ahead;
    }
  }
  return position;
}

std::vector<std::uint32_t> queue_lengths(const Trace& trace, const std::stop_token& stop) {
  const SliceColumns& slices = trace.slices;
  std::vector<std::uint32_t> lengths(trace.slice_count(), kNoQueue);
  std::vector<std::uint32_t> work;
  std::vector<std::int64_t> launches;
  std::vector<std::int64_t> starts;
  for (const Track& track : trace.tracks) {
    work.clear();
    launches.clear();
    starts.clear();
    for (const Row& row : std::span(trace.rows).subspan(track.first_row, track.row_count)) {
      for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
        if (i % kCancelStride == 0 && stop.stop_requested()) return lengths;
        if (!is_gpu_work(slices.kind[i]) || slices.link[i] == kNoSlice) continue;
        work.push_back(i);
        const std::int64_t launched_ns = trace.start_ns(slices.link[i]);
        if (launched_ns > slices.start_ns[i]) continue;  // the clocks disagree, so it was never queued
        launches.push_back(launched_ns);
        starts.push_back(slices.start_ns[i]);
      }
    }
    std::sort(launches.begin(), launches.end());
    std::sort(starts.begin(), starts.end());
    for (const std::uint32_t i : work) {
      const std::int64_t time_ns = trace.start_ns(slices.link[i]);
      const auto launched = std::upper_bound(launches.begin(), launches.end(), time_ns) - launches.begin();
      const auto started = std::lower_bound(starts.begin(), starts.end(), time_ns) - starts.begin();
      lengths[i] = static_cast<std::uint32_t>(launched - started);
    }
  }
  return lengths;
}

GpuWorkBelow gpu_work_below(const Trace& trace, SliceId cpu_slice, const std::stop_token& stop) {
  GpuWorkBelow work;
  if (is_on_gpu(trace, cpu_slice)) return work;
  const SliceColumns& slices = trace.slices;
  const TimeRange range = trace.range_of(cpu_slice);
  const auto add_launch = [&](SliceId launch) {
    for (const SliceId gpu : launched_by(trace, launch)) {
      if (!is_gpu_work(trace.kind(gpu))) continue;
      work.slices.push_back(gpu);
      add_saturating(work.device_ns, trace.duration_ns(gpu));
    }
  };
  add_launch(cpu_slice);
  for (const Row& row : rows_below(trace, trace.row(trace.row_of(cpu_slice)))) {
    const std::uint32_t last = first_start_at(trace, row, range.end_ns);
    for (std::uint32_t i = first_start_at(trace, row, range.begin_ns); i < last; ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return work;
      if (slices.link[i] != kNoSlice) add_launch(SliceId{i});
    }
  }
  std::ranges::sort(work.slices, {}, [&](SliceId gpu) { return std::pair(trace.start_ns(gpu), gpu); });
  if (!work.slices.empty()) {
    work.range = trace.range_of(work.slices.front());
    for (const SliceId gpu : work.slices) work.range.end_ns = std::max(work.range.end_ns, trace.end_ns(gpu));
  }
  return work;
}

}  // namespace kino
