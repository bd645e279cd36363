// When a recording was in a forward, a backward or an optimizer, told by the stacks of its events.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/memory/categories/stack_facts.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// A run of events of one phase, both ends included.
struct PhaseWindow {
  MemoryPhase phase = MemoryPhase::script;
  EventIndex begin = 0;
  EventIndex end = 0;
  bool guessed = false;  ///< from stacks that are empty among full ones: the thread of the engine
};

/// What the stacks of a device's events say.
class PhaseReading {
 public:
  PhaseReading() = default;
  /// O(entries). Incomplete when stopped.
  PhaseReading(const Snapshot& snapshot, std::size_t device, std::span<const StackFacts> facts,
               const std::stop_token& stop = {});

  /// In order, never overlapping.
  const std::vector<PhaseWindow>& windows() const { return windows_; }
  MemoryPhase phase_of(StackId stack) const;

  static constexpr std::size_t kNone = ~std::size_t{0};
  /// The window that holds `event`, kNone. O(log windows).
  std::size_t window_at(EventIndex event) const;
  /// The first one that begins behind `event`; of a phase. windows().size() without one.
  std::size_t next_window(EventIndex event) const;
  std::size_t next_window(EventIndex event, MemoryPhase phase) const;
  /// Whether the recording stops inside of the last window.
  bool stops_inside() const { return stops_inside_; }
  /// Whether something that ends at `end` ended in a window of the phase. free_completed comes one entry
  /// behind the last free_requested of a run.
  bool ended_in(EventIndex end, MemoryPhase phase) const;

 private:
  std::span<const StackFacts> facts_;
  std::vector<PhaseWindow> windows_;
  /// For each window the first one of a phase from it on, and the number of windows behind the last.
  std::array<std::vector<std::uint32_t>, kMemoryPhaseCount> next_;
  bool stops_inside_ = false;
  /// Whether an empty stack is that of the autograd engine's thread: with frames of Python only.
  bool empty_is_engine_ = false;
  bool frees_count_ = false;  ///< a tenth of the frees or more have a stack of their own
};

}  // namespace kino
