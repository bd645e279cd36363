#include "app/ui/details/slice_facts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <functional>
#include <span>

namespace kino {
namespace {

constexpr std::size_t kMostOfRole = 4;

void add_links(SliceFacts& facts, Text role, std::span<const SliceId> others, SliceId self) {
  std::size_t added = 0;
  for (const SliceId other : others) {
    const auto same = [&](const LinkedSlice& linked) { return linked.slice == other; };
    if (other == kNoSlice || other == self || std::ranges::any_of(facts.linked, same)) continue;
    if (added++ < kMostOfRole) {
      facts.linked.push_back({role, other});
    } else {
      ++facts.linked_omitted;
    }
  }
}

/// Adds flows other than autograd's.
void add_other_flows(SliceFacts& facts, const Trace& trace, SliceId slice) {
  const auto other = [&](std::uint32_t arrow) {
    return trace.category_text(trace.flows.category[arrow]) != "fwdbwd";
  };
  std::vector<SliceId> ends;
  for (const std::uint32_t arrow : flows_to(trace, slice)) {
    if (other(arrow)) ends.push_back(trace.flows.from[arrow]);
  }
  add_links(facts, Text::linked_flow_from, ends, slice);
  ends.clear();
  for (const std::uint32_t arrow : flows_from(trace, slice)) {
    if (other(arrow)) ends.push_back(trace.flows.to[arrow]);
  }
  add_links(facts, Text::linked_flow_to, ends, slice);
}

void add_linked(SliceFacts& facts, const Trace& trace, SliceId slice, const GpuWorkBelow& below) {
  const bool on_gpu = is_on_gpu(trace, slice);
  const auto one = [&](Text role, SliceId other) { add_links(facts, role, {&other, 1}, slice); };
  if (on_gpu) one(Text::linked_launch_call, cpu_side_of(trace, slice));
  one(Text::linked_operator, operator_of(trace, slice));
  add_links(facts, Text::linked_forward, forward_of(trace, slice), slice);
  add_links(facts, Text::linked_backward, backward_of(trace, slice), slice);
  add_other_flows(facts, trace, slice);
  if (on_gpu || below.slices.empty()) return;
  if (trace.kind(slice) != SliceKind::runtime) one(Text::linked_launch, trace.link(below.slices.front()));
  add_links(facts, Text::linked_gpu_work, below.slices, slice);
}

}  // namespace

SliceFacts slice_facts(const Trace& trace, SliceId slice, std::size_t most_children,
                       const std::stop_token& stop) {
  const auto duration = [&](SliceId id) { return trace.duration_ns(id); };
  SliceFacts facts;
  facts.parents = parents_of(trace, slice);
  if (!facts.parents.empty() && duration(facts.parents.back()) > 0) {
    facts.parent_share =
        static_cast<double>(duration(slice)) / static_cast<double>(duration(facts.parents.back()));
  }
  if (stop.stop_requested()) return facts;
  facts.children = children_of(trace, slice);
  facts.child_count = facts.children.size();
  const auto shown = static_cast<std::ptrdiff_t>(std::min(most_children, facts.children.size()));
  std::ranges::partial_sort(facts.children, facts.children.begin() + shown, std::ranges::greater{}, duration);
  facts.children.resize(static_cast<std::size_t>(shown));
  facts.self_ns = self_ns(trace, slice);
  if (stop.stop_requested()) return facts;
  const GpuWorkBelow below = gpu_work_below(trace, slice, stop);
  facts.launched_count = below.slices.size();
  facts.launched_ns = below.device_ns;
  if (is_on_gpu(trace, slice)) {
    facts.launch_delay_ns = launch_delay_ns(trace, slice);
    facts.early_start = early_start(trace, slice);
    facts.queue = queue_position(trace, slice, stop);
    facts.launch_chain = launch_chain(trace, slice);
    facts.forward_chain = forward_chain(trace, slice);
    if (is_gpu_work(trace.kind(slice))) facts.cover = compute_during(trace, slice, stop);
  } else if (const auto work = launched_by(trace, slice); !work.empty()) {
    facts.launch_delay_ns = launch_delay_ns(trace, work.front());
    facts.early_start = early_start(trace, work.front());
  }
  add_linked(facts, trace, slice, below);
  return facts;
}

std::string wall_clock_text(const Trace& trace, std::int64_t time_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kEarliest = 1'000'000'000;  // 2001; clocks that count from boot are far below
  constexpr std::int64_t kLatest = 4'000'000'000;
  const std::int64_t unix_ns = trace.origin_unix_ns + time_ns;
  const std::int64_t seconds = unix_ns / kSecond;
  if (seconds < kEarliest || seconds > kLatest) return {};
  const std::time_t whole = seconds;
  std::tm local{};
  if (localtime_r(&whole, &local) == nullptr) return {};
  std::array<char, 64> date{};
  std::array<char, 32> zone{};
  if (std::strftime(date.data(), date.size(), "%Y-%m-%d %H:%M:%S", &local) == 0) return {};
  std::strftime(zone.data(), zone.size(), "%Z", &local);
  std::array<char, 16> micros{};
  std::snprintf(micros.data(), micros.size(), ".%06d", static_cast<int>(unix_ns % kSecond / 1000));
  return std::string(date.data()) + micros.data() + " " + zone.data();
}

}  // namespace kino
