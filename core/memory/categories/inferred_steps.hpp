// Infers training steps from repetition in a recording without annotated steps.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/memory/categories/memory_category.hpp"
#include "core/memory/categories/phase_windows.hpp"
#include "core/memory/snapshot_steps.hpp"

namespace kino {

struct InferredSteps {
  /// "optimizer", "zero_grad", "forward", "repeating stacks"; empty without steps.
  Message by;
  EventIndex begin = 0;
  std::vector<EventIndex> ends;  ///< the last event of each step
  Confidence sure = Confidence::unknown;
};

/// Uses optimizer passes with a backward between them; else zero_grad; else forwards that begin with the same
/// stack; else the shallowest stacks of a single forward, if they repeat in one order. O(entries).
InferredSteps inferred_steps(const Snapshot& snapshot, std::size_t device, const PhaseReading& phases,
                             std::span<const StackFacts> facts, const std::stop_token& stop = {});

/// Returns annotated steps, else inferred ones, else the equal parts of snapshot_steps(). O(entries).
SnapshotSteps steps_of(const Snapshot& snapshot, std::size_t device, const std::stop_token& stop = {});

}  // namespace kino
