// Finds the forward, backward and optimizer passes of a recording from the stacks of its events.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/memory/categories/stack_facts.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// A run of events of one phase; both ends are included.
struct PhaseWindow {
  MemoryPhase phase = MemoryPhase::script;
  EventIndex begin = 0;
  EventIndex end = 0;
  bool guessed = false;  ///< inferred from empty stacks only, which are those of the autograd engine's thread
};

/// Phases of a device's events, from the stacks of the events.
class PhaseReading {
 public:
  PhaseReading() = default;
  /// Finds the windows of a device. O(entries).
  PhaseReading(const Snapshot& snapshot, std::size_t device, std::span<const StackFacts> facts,
               const std::stop_token& stop = {});

  /// Windows in order of events; they are disjoint.
  const std::vector<PhaseWindow>& windows() const { return windows_; }
  MemoryPhase phase_of(StackId stack) const;

  static constexpr std::size_t kNone = ~std::size_t{0};
  /// Returns the window that contains `event`, or kNone. O(log windows).
  std::size_t window_at(EventIndex event) const;
  /// Returns the first window (of `phase`, if given) that begins after `event`; windows().size() if there is
  /// none.
  std::size_t next_window(EventIndex event) const;
  std::size_t next_window(EventIndex event, MemoryPhase phase) const;
  /// Returns whether the recording ends inside of the last window.
  bool stops_inside() const { return stops_inside_; }
  /// Returns whether an allocation that ends at `end` is freed in a window of the phase. free_completed is
  /// recorded one entry after the last free_requested of a run, so the entry before `end` also counts.
  bool ends_in_phase(EventIndex end, MemoryPhase phase) const;

 private:
  std::span<const StackFacts> facts_;
  std::vector<PhaseWindow> windows_;
  /// By phase and window: first window of the phase that is not before the window, or the number of windows.
  std::array<std::vector<std::uint32_t>, kMemoryPhaseCount> next_;
  bool stops_inside_ = false;
  /// Whether empty stacks are those of the autograd engine's thread, because stacks have Python frames only.
  bool empty_is_engine_ = false;
  bool frees_count_ = false;  ///< whether at least a tenth of the frees have separate stacks
};

}  // namespace kino
