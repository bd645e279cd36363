#include "core/memory/categories/inferred_steps.hpp"

#include <algorithm>
#include <map>

namespace kino {
namespace {

constexpr std::size_t kLeastRounds = 2;

InferredSteps by_optimizer(const std::vector<PhaseWindow>& windows) {
  InferredSteps steps{"optimizer", 0, {}, Confidence::likely};
  bool backward = false;
  for (const PhaseWindow& window : windows) {
    if (window.phase == MemoryPhase::backward) backward = true;
    if (window.phase != MemoryPhase::optimizer) continue;
    if (steps.ends.empty() || backward) {
      steps.ends.push_back(window.end);
    } else {
      steps.ends.back() = window.end;
    }
    backward = false;
  }
  if (steps.ends.size() > 1) steps.sure = Confidence::certain;
  return steps;
}

InferredSteps by_zero_grad(const std::vector<PhaseWindow>& windows) {
  InferredSteps steps{"zero_grad", 0, {}, Confidence::likely};
  for (const PhaseWindow& window : windows)
    if (window.phase == MemoryPhase::zero_grad) steps.ends.push_back(window.end);
  if (steps.ends.size() < kLeastRounds) steps.ends.clear();
  return steps;
}

/// Sets the ends of the steps: each step ends before the next one begins; the last one ends at `last`.
void end_before(InferredSteps& steps, const std::vector<EventIndex>& begins, EventIndex last) {
  steps.begin = begins.front();
  for (std::size_t i = 1; i < begins.size(); ++i) steps.ends.push_back(begins[i] - 1);
  steps.ends.push_back(last);
}

InferredSteps by_forward(const SnapshotDevice& device, const std::vector<PhaseWindow>& windows) {
  InferredSteps steps{"forward", 0, {}, Confidence::likely};
  constexpr double kLeastShare = 0.3;
  struct Runs {
    std::vector<EventIndex> begins;
    std::int64_t events = 0;
  };
  std::map<StackId, Runs> by_stack;
  std::vector<StackId> order;
  std::int64_t all = 0;
  for (const PhaseWindow& window : windows) {
    if (window.phase != MemoryPhase::forward) continue;
    const StackId stack = device.entries.stack[static_cast<std::size_t>(window.begin)];
    Runs& runs = by_stack[stack];
    if (runs.begins.empty()) order.push_back(stack);
    runs.begins.push_back(window.begin);
    runs.events += window.end - window.begin + 1;
    all += window.end - window.begin + 1;
  }
  for (const StackId stack : order) {
    const Runs& runs = by_stack[stack];
    if (runs.begins.size() < kLeastRounds) continue;
    if (static_cast<double>(runs.events) < kLeastShare * static_cast<double>(all)) continue;
    end_before(steps, runs.begins, static_cast<EventIndex>(device.entries.entry_count()) - 1);
    return steps;
  }
  return steps;
}

/// Returns the forward's allocations in a window whose stacks have the fewest nested modules. `one_more`:
/// also those that are one module deeper.
std::vector<std::size_t> shallow_events(const SnapshotDevice& device, const PhaseWindow& window,
                                        std::span<const StackFacts> facts, bool one_more) {
  std::vector<std::size_t> found;
  std::uint16_t least = 0xffff;
  const auto depth = [&](std::size_t i) {
    const auto stack = static_cast<std::size_t>(device.entries.stack[i]);
    const bool counts = device.entries.action[i] == SnapshotAction::alloc && stack < facts.size() &&
                        facts[stack].phase == MemoryPhase::forward;
    return counts ? facts[stack].depth : std::uint16_t{0};
  };
  for (auto i = static_cast<std::size_t>(window.begin); i <= static_cast<std::size_t>(window.end); ++i)
    if (depth(i) > 0) least = std::min(least, depth(i));
  const int most = least + (one_more ? 1 : 0);
  for (auto i = static_cast<std::size_t>(window.begin); i <= static_cast<std::size_t>(window.end); ++i)
    if (depth(i) > 0 && depth(i) <= most) found.push_back(i);
  return found;
}

/// Returns the starts of the rounds; empty if there are none. The stacks that occur most often must repeat in
/// one order (90 % of their allocations). Rarer stacks must occur only before the second round.
std::vector<EventIndex> rounds_of(const SnapshotDevice& device, const std::vector<std::size_t>& events) {
  constexpr double kInOrder = 0.9;
  std::map<StackId, std::vector<std::size_t>> places;  // indices of events by stack
  for (std::size_t n = 0; n < events.size(); ++n) places[device.entries.stack[events[n]]].push_back(n);
  std::size_t rounds = 0;
  for (const auto& [stack, at] : places) rounds = std::max(rounds, at.size());
  if (rounds < kLeastRounds) return {};
  std::vector<StackId> sequence;
  std::vector<std::size_t> begins;
  for (const std::size_t event : events) {
    const StackId stack = device.entries.stack[event];
    if (places[stack].size() != rounds) continue;
    sequence.push_back(stack);
    begins.push_back(event);
  }
  const std::size_t length = sequence.size() / rounds;
  std::size_t in_order = 0;
  for (std::size_t n = 0; n < sequence.size(); ++n)
    if (sequence[n] == sequence[n % length]) ++in_order;
  if (static_cast<double>(in_order) < kInOrder * static_cast<double>(sequence.size())) return {};
  // If a rarer stack occurs after the second round has begun, the rounds are layers of the model.
  const std::size_t second = begins[length];
  for (const auto& [stack, at] : places)
    if (at.size() < rounds && events[at.back()] > second) return {};
  std::vector<EventIndex> found;
  for (std::size_t round = 0; round < rounds; ++round)
    found.push_back(static_cast<EventIndex>(begins[round * length]));
  return found;
}

InferredSteps by_stacks(const SnapshotDevice& device, const std::vector<PhaseWindow>& windows,
                        std::span<const StackFacts> facts) {
  InferredSteps steps{msg::repeating_stacks, 0, {}, Confidence::guess};
  if (windows.size() != 1 || windows.front().phase != MemoryPhase::forward) return steps;
  for (const bool one_more : {false, true}) {
    const std::vector<EventIndex> begins =
        rounds_of(device, shallow_events(device, windows.front(), facts, one_more));
    if (begins.empty()) continue;
    end_before(steps, begins, windows.front().end);
    return steps;
  }
  return steps;
}

}  // namespace

InferredSteps inferred_steps(const Snapshot& snapshot, std::size_t device, const PhaseReading& phases,
                             std::span<const StackFacts> facts, const std::stop_token& stop) {
  const SnapshotDevice& snapshot_device = snapshot.devices[device];
  const std::vector<PhaseWindow>& windows = phases.windows();
  if (InferredSteps steps = by_optimizer(windows); !steps.ends.empty()) return steps;
  if (InferredSteps steps = by_zero_grad(windows); !steps.ends.empty()) return steps;
  if (stop.stop_requested()) return {};
  if (InferredSteps steps = by_forward(snapshot_device, windows); !steps.ends.empty()) return steps;
  if (InferredSteps steps = by_stacks(snapshot_device, windows, facts); !steps.ends.empty()) return steps;
  return {};
}

SnapshotSteps steps_of(const Snapshot& snapshot, std::size_t device, const std::stop_token& stop) {
  SnapshotSteps annotated = snapshot_steps(snapshot, device, stop);
  if (!annotated.region.empty()) return annotated;
  const std::vector<StackFacts> facts = stack_facts(snapshot, stop);
  if (stop.stop_requested()) return annotated;
  const PhaseReading phases(snapshot, device, facts, stop);
  InferredSteps inferred = inferred_steps(snapshot, device, phases, facts, stop);
  if (inferred.ends.size() < kLeastRounds) return annotated;
  SnapshotSteps steps;
  steps.begin = inferred.begin;
  steps.ends = std::move(inferred.ends);
  steps.region = inferred.by;
  steps.inferred = true;
  return steps;
}

}  // namespace kino
