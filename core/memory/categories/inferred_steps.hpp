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
  /// Evidence: "optimizer", "zero_grad", "forward", "repeating stacks"; empty if there are no steps.
  Message by;
  EventIndex begin = 0;
  std::vector<EventIndex> ends;  ///< last event of each step
  Confidence sure = Confidence::unknown;
};

/// Infers steps from the first evidence that exists: optimizer passes with a backward between them;
/// zero_grad; forwards that begin with the same stack; the shallowest stacks of a single forward, if they
/// repeat in one order. O(entries).
InferredSteps inferred_steps(const Snapshot& snapshot, std::size_t device, const PhaseReading& phases,
                             std::span<const StackFacts> facts, const std::stop_token& stop = {});

/// Returns annotated steps; if there are none, inferred steps, if there are two or more; otherwise, the equal
/// parts of snapshot_steps(). O(entries).
SnapshotSteps steps_of(const Snapshot& snapshot, std::size_t device, const std::stop_token& stop = {});

}  // namespace kino
