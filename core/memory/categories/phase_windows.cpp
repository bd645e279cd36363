#include "core/memory/categories/phase_windows.hpp"

#include <algorithm>

namespace kino {
namespace {

struct PhaseEvent {
  EventIndex event = 0;
  MemoryPhase phase = MemoryPhase::script;
  bool guessed = false;
};

bool counts_script(MemoryPhase phase) { return phase == MemoryPhase::forward; }
bool joins(MemoryPhase phase) { return phase == MemoryPhase::backward || phase == MemoryPhase::optimizer; }

/// Returns whether `phase` occurs again from index `from` on, after at most two events of other phases.
/// Events of the script do not count.
bool comes_back(std::span<const PhaseEvent> events, std::size_t from, MemoryPhase phase) {
  constexpr int kMostForeign = 2;
  int foreign = 0;
  for (std::size_t i = from; i < events.size(); ++i) {
    if (events[i].phase == phase) return true;
    if (events[i].phase != MemoryPhase::script && ++foreign > kMostForeign) return false;
  }
  return false;
}

std::vector<PhaseWindow> windows_of(std::span<const PhaseEvent> events) {
  std::vector<PhaseWindow> windows;
  bool open = false;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const PhaseEvent& at = events[i];
    if (at.phase == MemoryPhase::script) {
      if (open && counts_script(windows.back().phase)) open = false;
      continue;
    }
    if (open && windows.back().phase == at.phase) {
      windows.back().end = at.event;
      windows.back().guessed = windows.back().guessed && at.guessed;
      continue;
    }
    if (open && joins(windows.back().phase) && comes_back(events, i, windows.back().phase)) continue;
    windows.push_back({at.phase, at.event, at.event, at.guessed});
    open = true;
  }
  return windows;
}

}  // namespace

PhaseReading::PhaseReading(const Snapshot& snapshot, std::size_t device, std::span<const StackFacts> facts,
                           const std::stop_token& stop)
    : facts_(facts) {
  const SnapshotDevice& snapshot_device = snapshot.devices[device];
  const SnapshotEntries& entries = snapshot_device.entries;
  const auto count = entries.entry_count();
  std::uint64_t allocs = 0;
  std::uint64_t empty = 0;
  std::uint64_t frees = 0;
  std::uint64_t own = 0;
  bool cpp = false;
  const Allocations& all = snapshot_device.history.allocations;
  const auto alloc_stack = [&](std::size_t i) {
    const AllocationId id = snapshot_device.history.allocation_of_entry[i];
    if (id == kNoAllocation) return kNoStack;
    const EventIndex begin = all.begin[static_cast<std::size_t>(id)];
    return begin < 0 ? kNoStack : entries.stack[static_cast<std::size_t>(begin)];
  };
  const auto is_free = [&](std::size_t i) {
    return entries.action[i] == SnapshotAction::free_requested || entries.action[i] == SnapshotAction::free;
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 65536 == 0 && stop.stop_requested()) return;
    const StackId stack = entries.stack[i];
    const auto number = static_cast<std::size_t>(stack);
    if (stack != kNoStack && number < facts_.size()) cpp |= facts_[number].cpp;
    if (entries.action[i] == SnapshotAction::alloc) {
      ++allocs;
      if (stack == kEmptyStack) ++empty;
    }
    if (!is_free(i)) continue;
    ++frees;
    if (stack != kNoStack && stack != alloc_stack(i)) ++own;
  }
  empty_is_engine_ = !cpp && empty > 0 && empty < allocs;
  frees_count_ = own * 10 >= frees && own > 0;
  std::vector<PhaseEvent> events;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 65536 == 0 && stop.stop_requested()) return;
    const StackId stack = entries.stack[i];
    const bool alloc = entries.action[i] == SnapshotAction::alloc;
    if (!alloc && !(frees_count_ && is_free(i) && stack != alloc_stack(i))) continue;
    events.push_back({static_cast<EventIndex>(i), phase_of(stack), stack == kEmptyStack});
  }
  windows_ = windows_of(events);
  stops_inside_ = !windows_.empty() && events.back().phase == windows_.back().phase;
  for (std::size_t phase = 0; phase < kMemoryPhaseCount; ++phase) {
    std::vector<std::uint32_t>& next = next_[phase];
    next.assign(windows_.size() + 1, static_cast<std::uint32_t>(windows_.size()));
    for (std::size_t i = windows_.size(); i-- > 0;) {
      next[i] =
          static_cast<std::size_t>(windows_[i].phase) == phase ? static_cast<std::uint32_t>(i) : next[i + 1];
    }
  }
}

MemoryPhase PhaseReading::phase_of(StackId stack) const {
  if (stack == kEmptyStack && empty_is_engine_) return MemoryPhase::backward;
  const auto number = static_cast<std::size_t>(stack);
  return number < facts_.size() ? facts_[number].phase : MemoryPhase::script;
}

std::size_t PhaseReading::window_at(EventIndex event) const {
  const auto next = std::ranges::upper_bound(windows_, event, {}, &PhaseWindow::begin);
  if (next == windows_.begin()) return kNone;
  const auto found = next - 1;
  return found->end >= event ? static_cast<std::size_t>(found - windows_.begin()) : kNone;
}

std::size_t PhaseReading::next_window(EventIndex event) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(windows_, event, {}, &PhaseWindow::begin) -
                                  windows_.begin());
}

std::size_t PhaseReading::next_window(EventIndex event, MemoryPhase phase) const {
  return next_.front().empty() ? 0 : next_[static_cast<std::size_t>(phase)][next_window(event)];
}

bool PhaseReading::ends_in_phase(EventIndex end, MemoryPhase phase) const {
  if (end == kNever) return false;
  for (const EventIndex at : {end, end - 1}) {
    const std::size_t window = window_at(at);
    if (window != kNone && windows_[window].phase == phase) return true;
  }
  return false;
}

}  // namespace kino
